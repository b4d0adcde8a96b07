import { loadConfig } from '../config/load.ts';
import { doctorText as text } from '../text/en/doctor.ts';
import type { ShellContext } from './context.ts';
import { checkClipboard } from './doctor/clipboard.ts';
import { checkConfig } from './doctor/config.ts';
import { checkModels } from './doctor/models.ts';
import { readOutside, type Outside } from './doctor/outside.ts';
import { checkProgram } from './doctor/program.ts';
import { chooseStyle, renderGroup, summarize, type Finding, type GroupId } from './doctor/report.ts';
import { checkSessionStore, isSessionStored } from './doctor/store.ts';
import { checkTerminal } from './doctor/terminal.ts';
import type { Flags } from './parse.ts';

/**
 * `hermes doctor`: looks at everything a conversation needs and says what it found, group by group as each is known. The store is opened
 * for reading only, and nothing leaves the machine but the question to the configured endpoint which models it has (2 s at most).
 *
 * @param outside the world beyond the home; a test may describe another one
 * @returns 0, or 1 when something is wrong; what is merely worth a look fails nothing
 */
export async function runDoctor(
  context: ShellContext,
  _args: readonly string[],
  _flags: Flags,
  outside: Outside = readOutside(context),
): Promise<number> {
  const { env } = outside.facts;
  const style = chooseStyle(context.out, env);
  const loaded = await loadConfig(context.home, { env, now: context.now() });
  const checks: Record<GroupId, () => Finding[] | Promise<Finding[]>> = {
    terminal: () => checkTerminal(context, outside, loaded.config, (id) => isSessionStored(context, id)),
    clipboard: () => checkClipboard(outside),
    store: () => checkSessionStore(context, outside),
    config: () => checkConfig(context, outside, loaded),
    models: () => checkModels(context, outside, loaded.config),
    program: () => checkProgram(outside),
  };
  const found: Finding[] = [];
  for (const [id, check] of Object.entries(checks) as [GroupId, () => Finding[] | Promise<Finding[]>][]) {
    const findings = await finish(check);
    found.push(...findings);
    context.out.write(`${renderGroup(id, findings, style).join('\n')}\n\n`);
  }
  context.out.write(`${summarize(found)}\n`);
  return found.some((finding) => finding.mark === 'wrong') ? 1 : 0;
}

/** One part that fails must not keep the others from being seen: this is what people run when something is broken. */
async function finish(check: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [{ id: 'unchecked', mark: 'wrong', text: text.unchecked(error instanceof Error ? error.message : String(error)) }];
  }
}
