import { grouped } from '../grouped.ts';

const sessions = (count: number): string => `${grouped(count)} session${count === 1 ? '' : 's'}`;
const days = (count: number): string => `${grouped(count)} day${count === 1 ? '' : 's'}`;

/** What was put away by itself, said once. */
export const retentionText = {
  pruned: (count: number, idleDays: number, until: string) =>
    `${sessions(count)} idle for ${days(idleDays)} ${count === 1 ? 'is' : 'are'} in the bin until ${until} · hermes sessions restore`,
  prunedForGood: (count: number, idleDays: number) =>
    `${sessions(count)} idle for ${days(idleDays)} ${count === 1 ? 'was' : 'were'} erased`,
  archived: (count: number, idleDays: number) =>
    `${sessions(count)} idle for ${days(idleDays)} ${count === 1 ? 'was' : 'were'} archived · hermes sessions unarchive`,
  binErased: (count: number, trashDays: number) =>
    `${sessions(count)} left the bin after ${days(trashDays)} and ${count === 1 ? 'is' : 'are'} erased`,
};
