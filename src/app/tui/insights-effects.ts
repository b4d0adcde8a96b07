import { HermesError } from '../../errors.ts';
import { readDays } from '../../commands/insights-days.ts';
import { createInsights, type InsightsAction, type InsightsEffect } from '../../ui/screens/insights/index.ts';
import { readInsights } from '../read-insights.ts';
import type { Context, InsightsReport } from './context.ts';
import { resumeSession } from './resume.ts';

/** Carries out what the report about the last days asks for; it is counted in the reader thread. */
export function createInsightsEffects(context: Context): InsightsReport & { run(effect: InsightsEffect): void } {
  const { loop, run, store } = context;
  const tell = (action: InsightsAction): void => loop().dispatch({ type: 'to', name: 'insights', action });
  const close = (): void => loop().dispatch({ type: 'close', name: 'insights' });

  async function load(days: number, token: number): Promise<void> {
    try {
      tell({ type: 'loaded', token, report: await readInsights(store, { days }, run.now()) });
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      tell({ type: 'failed', token, reason: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) });
    }
  }

  return {
    open(args) {
      let days: number;
      try {
        days = readDays(args);
      } catch (error) {
        if (!(error instanceof HermesError)) throw error;
        return context.flash(error.message, true);
      }
      loop().dispatch({ type: 'open', screen: { name: 'insights', state: createInsights(days) } });
      tell({ type: 'shown' });
    },
    run(effect) {
      switch (effect.type) {
        case 'load':
          return context.track(load(effect.days, effect.token));
        case 'open':
          close();
          return context.track(resumeSession(context, effect.id));
        case 'close':
          return close();
        case 'run':
          close();
          return loop().dispatch({ type: 'run', id: effect.id });
      }
    },
  };
}
