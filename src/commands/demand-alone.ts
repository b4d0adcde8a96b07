import { HermesError } from '../errors.ts';
import type { Holders } from '../store/holders.ts';
import { housekeepingText as text } from '../text/en/housekeeping.ts';

/** @throws HermesError `store-held` unless it is shown that nobody else has the store open */
export function demandAlone(holders: Holders, path: string, hint: string = text.closeFirst): void {
  if (holders.kind === 'held') throw new HermesError('store-held', text.held(holders.by, path), { hint });
  if (holders.kind === 'unsure') throw new HermesError('store-held', text.unsure(path), { hint: text.unsureForce });
}
