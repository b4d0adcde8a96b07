import type { Insights } from '../../../session/insights.ts';

/** Title and rule above, rule and footer below. */
export const bodyTop = 2;
const linesAround = 4;

export const bodyHeight = (height: number): number => Math.max(1, height - linesAround);

/** From here on sections stand in two columns. */
const twoColumns = 100;

/** A section of the report and how many lines it takes, its title and the blank above it included. */
export type Section = 'overview' | 'models' | 'platforms' | 'tools' | 'skills' | 'weekdays' | 'heat' | 'facts' | 'notable' | 'notes';

export interface Placed {
  readonly section: Section;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where everything stands: cells of the body, before it is scrolled. */
export interface InsightsLayout {
  readonly placed: readonly Placed[];
  readonly lines: number;
  /** The line of every notable session, in their order. */
  readonly notable: readonly number[];
}

/** Facts of the overview, label and value; two to a line from here on. */
const twoFacts = 60;
const overviewFacts = (report: Insights): number => (report.overview.cacheReadTokens + report.overview.cacheWriteTokens > 0 ? 13 : 11);
export const factColumns = (width: number): number => (width >= twoFacts ? 2 : 1);
export const listedModels = 8;
export const listedPlatforms = 8;
export const listedTools = 15;

function noteCount({ cost, undated }: Insights): number {
  return (cost.isEstimate || cost.usesTable ? 1 : 0) + (cost.unknownTokens > 0 ? 1 : 0) + (undated > 0 ? 1 : 0);
}

/** Rows of a table with a line for those left out. */
const rows = (count: number, listed: number): number => (count > listed ? listed + 1 : count);

/** Pure, from the report and the width alone, so that scrolling, clicks and drawing mean the same lines. */
export function layoutInsights(report: Insights, width: number): InsightsLayout {
  const isWide = width >= twoColumns;
  const margin = 2;
  const gap = 6;
  const column = isWide ? Math.floor((width - 2 * margin - gap) / 2) : width - 2 * margin;
  const titled = (count: number): number => (count === 0 ? 0 : count + 2);
  const heights: Record<Section, number> = {
    overview: titled(Math.ceil(overviewFacts(report) / factColumns(column))),
    models: titled(rows(report.models.length, listedModels)),
    platforms: titled(rows(report.platforms.length, listedPlatforms)),
    tools: titled(Math.min(report.tools.length, listedTools)),
    skills: titled(report.skills.length),
    weekdays: titled(7),
    heat: titled(8),
    facts: 3,
    notable: titled(report.notable.length),
    notes: noteCount(report) === 0 ? 0 : noteCount(report) + 1,
  };
  /** The blank above the first section; on a narrow screen, which is mostly a low one too, it goes. */
  const start = width < twoFacts ? -1 : 0;
  const placed: Placed[] = [];
  const stack = (sections: readonly Section[], x: number, from: number, each: number): number => {
    let y = from;
    for (const section of sections) {
      if (heights[section] === 0) continue;
      placed.push({ section, x, y, width: each, height: heights[section] });
      y += heights[section];
    }
    return y;
  };
  let y: number;
  if (isWide) {
    const left = stack(['overview', 'models', 'platforms', 'skills'], margin, start, column);
    const right = stack(['weekdays', 'heat', 'facts', 'tools'], margin + column + gap, start, column);
    y = stack(['notable', 'notes'], margin, Math.max(left, right), width - 2 * margin);
  } else {
    y = stack(
      ['overview', 'models', 'platforms', 'tools', 'skills', 'weekdays', 'heat', 'facts', 'notable', 'notes'],
      margin,
      start,
      column,
    );
  }
  const notable = placed.find(({ section }) => section === 'notable');
  return {
    placed,
    lines: y,
    notable: notable === undefined ? [] : report.notable.map((_, index) => notable.y + 2 + index),
  };
}
