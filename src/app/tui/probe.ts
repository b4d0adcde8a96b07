import { writeState } from '../../config/state.ts';
import { HermesError } from '../../errors.ts';
import { createProbe, escapeDelayMs } from '../../terminal/capabilities.ts';
import type { ReplyEvent } from '../../terminal/input-event.ts';
import { setAmbiguousWidth } from '../../terminal/width.ts';
import { chooseTheme, glyphsFor } from '../../ui/theme.ts';
import type { Context } from './context.ts';
import { themeName } from './stage.ts';

/**
 * Asks the terminal what it can after the first frame; what it answers is used at once and remembered for the first frame of the next start.
 */
export function probeTerminal(context: Context): { take(reply: ReplyEvent): void; isAnswered: Promise<unknown> } {
  const { stage, run, loop } = context;
  const probe = createProbe({
    timers: { set: (work, ms) => setTimeout(work, ms).unref(), clear: (handle) => clearTimeout(handle as NodeJS.Timeout) },
    env: run.env,
  });
  stage.tty.write(probe.query);
  // The probe wrote into the second row.
  stage.canvas.redrawAll();
  context.track(
    probe.answers.then((answers) => {
      const { display } = run.loaded().config;
      if (answers.kittyKeys) {
        stage.tty.setKittyKeys(true);
        stage.tokenizer.setEscapeDelay(escapeDelayMs({ kittyKeys: true }, run.env));
      }
      const wasWide = stage.glyphs === glyphsFor({ ambiguousWide: true });
      const isWide = display.ambiguousWidth === 'auto' ? answers.ambiguousWide === true : display.ambiguousWidth === 'wide';
      setAmbiguousWidth(isWide ? 'wide' : 'narrow');
      stage.glyphs = glyphsFor({ ambiguousWide: isWide });
      const theme = chooseTheme(themeName(run, stage.state), { depth: stage.depth, background: answers.background });
      const isNewTheme = theme !== stage.theme;
      if (isNewTheme) {
        stage.theme = theme;
        stage.canvas.setTheme(theme);
      }
      loop().dispatch({ type: 'to', name: 'chat', action: { type: 'capabilities', hasKittyKeys: answers.kittyKeys } });
      loop().dispatch({ type: 'to', name: 'chat', action: { type: 'glyphs', glyphs: stage.glyphs } });
      // With other widths nothing on the screen stands where it was thought to stand.
      if (isNewTheme || isWide !== wasWide) stage.canvas.redrawAll();
      remember(context, answers);
    }),
  );
  return {
    isAnswered: probe.answers,
    take(reply) {
      probe.take(reply);
    },
  };
}

function remember(
  context: Context,
  answers: { kittyKeys: boolean; background: string | undefined; ambiguousWide: boolean | undefined; syncUpdate: boolean | undefined },
): void {
  const { stage, run } = context;
  const known = Object.fromEntries(Object.entries(answers).filter((entry): entry is [string, string | boolean] => entry[1] !== undefined));
  const before = stage.remembered ?? {};
  const isSame = Object.keys(known).every((name) => before[name] === known[name]) && Object.keys(before).every((name) => name in known);
  if (isSame) return;
  try {
    writeState(run.home.path, { terminal: { name: stage.terminalName, answers: known } });
  } catch (error) {
    // A home that can't be written asks again at the next start.
    if (!(error instanceof HermesError)) throw error;
    context.log.error('state', error);
  }
}
