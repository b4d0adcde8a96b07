import { importText as text } from '../../text/en/import.ts';
import type { Damage } from './broken.ts';
import { isObject, type Json } from './json.ts';
import { parseMember, scanObjects } from './members.ts';

/**
 * The messages of a log that is one JSON object with an array `messages`, read from the file one at a time; the other members are told as they
 * are met. What can't be read is counted, by the number of its message: that is what a line is in other logs.
 */
export function* documentMessages(
  path: string,
  damage: Damage,
  onFact: (key: string, value: unknown) => void = () => undefined,
): Generator<Json> {
  damage.restart();
  for (const event of scanObjects(path, { isLines: false, wish: (key) => (key === 'messages' ? 'elements' : 'whole') })) {
    if (event.kind === 'end' && event.fault !== undefined)
      damage.add(1, event.fault === 'cut-off' ? text.broken.cutOff : text.broken.noJson);
    if (event.kind !== 'member') continue;
    const parsed = parseMember(event.bytes);
    const line = (event.index ?? 0) + 1;
    if (parsed === undefined) damage.add(line, event.bytes === undefined ? text.broken.tooLong : text.broken.noJson);
    else if (event.index === undefined) onFact(event.key, parsed.value);
    else if (isObject(parsed.value)) yield parsed.value;
    else damage.add(line, text.broken.noObject);
  }
}
