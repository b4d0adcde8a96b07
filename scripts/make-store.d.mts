/** @returns the path of a generated store, kept below node_modules/.cache until its generator changes */
export function cachedStore(recipe: { sessions: number; messagesPerSession?: number; hasSearchIndex?: boolean }): Promise<string>;
