/** Milliseconds. `month` and `year` are missing on purpose: nobody agrees how long they are. */
const units: readonly (readonly [names: RegExp, length: number])[] = [
  [/^(?:s|secs?|seconds?)$/, 1_000],
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000],
  [/^(?:d|days?)$/, 86_400_000],
  [/^(?:w|wks?|weeks?)$/, 604_800_000],
];

/** A longer span is a slip of the hand: `20260705` would mean 55,000 years, and a window that wide selects everything. */
const longest = 100 * 366 * 86_400_000;

/**
 * A point in time as people write it (state-db.md 6): a span before `now` (`5h`, `30m`, `2d`, `1w`, `90s`, `1h 30m`, `5 hours`), a bare
 * number of days, or an ISO date, with or without a time. Without `Z` or an offset the local zone decides, with the offset it had on
 * that day; a date alone is its first moment.
 *
 * @param now milliseconds since the epoch
 * @returns milliseconds since the epoch; undefined for any other text
 */
export function parseTime(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  const span = parseSpan(trimmed);
  return span === undefined ? parseDate(trimmed) : Math.round(now - span);
}

/** Milliseconds; undefined when the text is no span, or longer than a hundred years. */
function parseSpan(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return withinReason(Number(text) * 86_400_000);
  if (!/^(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/i.test(text)) return undefined;
  let sum = 0;
  for (const [, count = '', name = ''] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const unit = units.find(([names]) => names.test(name.toLowerCase()));
    if (unit === undefined) return undefined;
    sum += Number(count) * unit[1];
  }
  return withinReason(sum);
}

const withinReason = (span: number): number | undefined => (span <= longest ? span : undefined);

const isoDate = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,3})\d*)?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

function parseDate(text: string): number | undefined {
  const found = isoDate.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const millisecond = Number((found[7] ?? '0').padEnd(3, '0'));
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59) return undefined;
  const zone = found[8];
  if (zone === undefined) return new Date(year, month - 1, day, hour, minute, second, millisecond).getTime();
  const offset = offsetOf(zone);
  return offset === undefined ? undefined : Date.UTC(year, month - 1, day, hour, minute, second, millisecond) - offset;
}

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** Milliseconds east of UTC. */
function offsetOf(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || 0);
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
