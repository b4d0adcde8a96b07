import { counted } from '../counted.ts';

/** What was put away by itself, said once. */
export const retentionText = {
  pruned: (count: number, idleDays: number, until: string) =>
    `${counted(count, 'session')} idle for ${counted(idleDays, 'day')} ${count === 1 ? 'is' : 'are'} in the bin until ${until} · hermes sessions restore`,
  prunedForGood: (count: number, idleDays: number) =>
    `${counted(count, 'session')} idle for ${counted(idleDays, 'day')} ${count === 1 ? 'was' : 'were'} erased`,
  archived: (count: number, idleDays: number) =>
    `${counted(count, 'session')} idle for ${counted(idleDays, 'day')} ${count === 1 ? 'was' : 'were'} archived · hermes sessions unarchive`,
  binErased: (count: number, trashDays: number) =>
    `${counted(count, 'session')} left the bin after ${counted(trashDays, 'day')} and ${count === 1 ? 'is' : 'are'} erased`,
};
