/** See unused.mjs. */
export function findUnusedExports(root: string): string[];
export function findUnusedTexts(root: string): string[];
