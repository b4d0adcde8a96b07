export { fieldValues, type FieldValues } from './field-values.ts';
export { contextAround, hitsIn, snippetsOf, type Context, type HitPlace } from './hits.ts';
export { matchingTips } from './matching.ts';
export { search } from './search.ts';
export { someHits, type SomeHitsQuery } from './some-hits.ts';
export type { Hit, IndexState, SearchChunk, SearchRequest, SearchResult, Snippet } from './types.ts';
