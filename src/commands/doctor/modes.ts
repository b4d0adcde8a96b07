interface Permissions {
  readonly mode: number;
}

/** `600` */
export const formatMode = ({ mode }: Permissions): string => (mode & 0o777).toString(8).padStart(3, '0');

/** Group or everybody may read, write or enter. */
export const othersMay = ({ mode }: Permissions): boolean => (mode & 0o077) !== 0;
