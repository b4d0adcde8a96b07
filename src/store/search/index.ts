export { contextAround, hitsIn, type Context, type HitPlace } from './hits.ts';
export { search } from './search.ts';
export type { Hit, IndexState, SearchChunk, SearchRequest, SearchResult, Snippet } from './types.ts';
