import { describeClipboard } from '../../terminal/clipboard.ts';
import { clipboardText } from '../../text/en/clipboard.ts';
import { doctorText as text } from '../../text/en/doctor.ts';
import type { Outside } from './outside.ts';
import type { Finding } from './report.ts';

/** The ways to the clipboard in the order they are tried, and which one a copy would take now. Nothing is copied. */
export function checkClipboard({ facts, platform }: Outside): Finding[] {
  const ways = describeClipboard(facts.env, platform);
  const first = ways.find((way) => way.isAvailable)?.way;
  return ways.map(({ way, isAvailable }) => {
    const name = clipboardText.ways[way];
    return {
      id: `clipboard-${way}`,
      mark: isAvailable ? 'ok' : 'note',
      text: way === first ? text.used(name) : isAvailable ? text.fallback(name) : text.notHere(name),
    };
  });
}
