export type { Hit, IndexState, SearchResult } from '../../session/found.ts';
export { fieldValues, type FieldValues } from './field-values.ts';
export { contextAround, hitsIn, snippetsOf, type Context, type HitPlace } from './hits.ts';
export { matchingTips } from './matching.ts';
export { search } from './search.ts';
export { someHits, type SomeHitsQuery } from './some-hits.ts';
export type { SearchChunk, SearchRequest } from './types.ts';
