import { UsageError } from '../errors.ts';
import { insightsText } from '../text/en/insights.ts';

/** Without a number: the period of state-db.md 6.1. */
export const defaultDays = 30;
/** A hundred years: everything there is. */
const mostDays = 36_500;

/** @throws UsageError for more days than a person can have talked */
export function checkDays(days: number): number {
  if (days > mostDays) throw wrongDays(String(days));
  return days;
}

/** What stands behind `/insights`. @throws UsageError */
export function readDays(typed: string): number {
  const words = typed.trim();
  if (words === '') return defaultDays;
  if (!/^\d{1,9}$/.test(words) || Number(words) < 1) throw wrongDays(words);
  return checkDays(Number(words));
}

const wrongDays = (typed: string): UsageError => new UsageError(insightsText.wrongDays(typed), insightsText.wrongDaysHint);
