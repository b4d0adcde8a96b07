import type { ExitStatus, Tui } from './tui.ts';

/** Ctrl+D, which is refused while a turn is being stored: again every 250 ms, for at most 8 s. */
export async function leaveWhenIdle(tui: Tui): Promise<ExitStatus> {
  for (let tries = 0; tui.exitStatus() === undefined; tries++) {
    if (tries === 32) await tui.until(() => false, 'the program to leave', 0);
    tui.press('ctrl+d');
    await Promise.race([tui.exited, new Promise((resolve) => setTimeout(resolve, 250))]);
  }
  return tui.exited;
}
