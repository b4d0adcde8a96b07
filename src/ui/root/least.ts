/** The smallest screen that can be worked on (product.md 2). */
export const leastWidth = 40;
export const leastHeight = 12;
