/** See circles.mjs. */
export function findCircles(root: string): string[];
