import { StoreError } from '../errors.ts';
import { buildInsights, noFacts, type Insights, type InsightsQuery } from '../session/insights.ts';
import type { SessionStore } from './recorder.ts';

/** The report about the last days, counted in the reader thread; no store yet is one without sessions. @throws StoreError */
export async function readInsights(store: SessionStore, query: InsightsQuery, now: number): Promise<Insights> {
  try {
    return await store.read.insights(query);
  } catch (error) {
    if (error instanceof StoreError && error.trouble === 'missing') return buildInsights(noFacts, query, now);
    throw error;
  }
}
