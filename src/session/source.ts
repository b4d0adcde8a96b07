/** Sessions made on this machine by a person: what `-c` and `latest` choose from (product.md 1). */
export const localSources: readonly string[] = ['cli', 'oneshot', 'tui'];

/** Sources no person typed into: behind the toggle in picker and list, never taken by `-c` or `latest` (product.md 1). */
export const machineSources: readonly string[] = ['tool', 'kanban', 'subagent', 'cron', 'batch'];

const machine = new Set(machineSources);

export function isMachineSource(source: string): boolean {
  return machine.has(source);
}

/** `cli→telegram` for a session that moved, else its source (state-db.md 2.2). */
export function sourceLabel(session: { source: string; createdSource?: string }): string {
  const created = session.createdSource;
  return created === undefined || created === '' || created === session.source ? session.source : `${created}→${session.source}`;
}
