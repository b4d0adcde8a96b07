export { emptyBin, eraseForever } from './erase.ts';
export { moveToBin } from './move.ts';
export { restoreFromBin } from './restore.ts';
