/** The same as in package.json (a test compares them): the program reads no file for it. */
export const version = '0.1.0';
