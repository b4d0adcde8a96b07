import { readFileSync } from 'node:fs';
import { openForReading } from '../../src/store/open.ts';
import { createRedactor } from '../../src/transfer/redact/redactor.ts';
import type { BenchOptions, Figure } from './figure.ts';
import { median } from './statistics.mjs';

/** How fast texts are looked through for secrets: the messages of a store, and the forms that cost more than prose. */
export async function measure({ runs, sizes, storeOf }: BenchOptions): Promise<Figure[]> {
  const messages = readMessages(await storeOf(Math.min(...sizes)));
  const code = readFileSync('package-lock.json', 'utf8');
  const texts: Record<string, readonly string[]> = {
    'messages of a store': messages,
    'JSON, one text': [code],
    'hostile: names and no value': ['token:'.repeat(50_000)],
    'hostile: prefixes and no key': ['SG.'.repeat(100_000)],
  };
  const redactor = createRedactor();
  const figures: Figure[] = [];
  for (const [what, list] of Object.entries(texts)) {
    const size = list.reduce((sum, text) => sum + text.length, 0);
    const times: number[] = [];
    for (let run = 0; run < Math.max(3, Math.min(runs, 5)); run++) {
      const began = performance.now();
      for (const text of list) if (!redactor.isClean(text)) await redactor.redact(text);
      times.push(performance.now() - began);
    }
    // Milliseconds a megabyte, since a figure is better the smaller it is.
    const score = median(times) / (size / 1e6);
    figures.push({
      what: `redact, ${what} (${(size / 1e6).toFixed(1)} MB)`,
      value: `${(1000 / score).toFixed(0)} MB/s`,
      score,
      unit: 'ms/MB',
    });
  }
  return figures;
}

function readMessages(store: string): string[] {
  const connection = openForReading(store, { now: Date.now });
  try {
    const rows = connection.db.prepare('SELECT content FROM messages WHERE content IS NOT NULL LIMIT 50000').all() as {
      content: unknown;
    }[];
    return rows.map(({ content }) => content).filter((content): content is string => typeof content === 'string');
  } finally {
    connection.close();
  }
}
