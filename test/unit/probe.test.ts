import { afterEach, describe, expect, it } from 'vitest';
import type { Context } from '../../src/app/tui/context.ts';
import { probeTerminal } from '../../src/app/tui/probe.ts';
import type { ReplyEvent } from '../../src/terminal/input-event.ts';
import { setAmbiguousWidth } from '../../src/terminal/width.ts';
import { asciiGlyphs, unicodeGlyphs } from '../../src/ui/screen.ts';
import { themes } from '../../src/ui/theme.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

afterEach(() => setAmbiguousWidth('narrow'));

/** The part of the program that a probe touches; counts the full repaints. */
function probe(ambiguousWidth: 'auto' | 'narrow' = 'auto') {
  let repaints = 0;
  const work: Promise<unknown>[] = [];
  const stage = {
    tty: { write: () => {}, setKittyKeys: () => {} },
    canvas: { redrawAll: () => void (repaints += 1), setTheme: () => {} },
    tokenizer: { setEscapeDelay: () => {} },
    state: {},
    remembered: undefined,
    terminalName: 'xterm',
    depth: 'truecolor',
    theme: themes.dark,
    glyphs: unicodeGlyphs,
  };
  const context = {
    stage,
    run: {
      env: { TERM: 'xterm' },
      home: { path: temporaryFolder() },
      loaded: () => ({ config: { display: { theme: 'dark', ambiguousWidth } } }),
    },
    loop: () => ({ dispatch: () => {} }),
    track: (each: Promise<unknown>) => work.push(each),
    log: { error: () => {} },
  } as unknown as Context;
  const running = probeTerminal(context);
  repaints = 0;
  const answer = async (column: 2 | 3): Promise<number> => {
    const replies: ReplyEvent[] = [
      { type: 'reply', kind: 'cpr', data: `[2;${column}R` },
      { type: 'reply', kind: 'csi', data: '[?62c' },
    ];
    for (const reply of replies) running.take(reply);
    await Promise.all(work);
    return repaints;
  };
  return { answer, glyphs: () => stage.glyphs };
}

describe('a terminal that draws ambiguous characters two cells wide', () => {
  it('gets ASCII forms and a full repaint, since nothing stands where it was thought to', async () => {
    const { answer, glyphs } = probe();
    expect(await answer(3)).toBe(1);
    expect(glyphs()).toBe(asciiGlyphs);
  });

  it('is not drawn anew when the widths were right', async () => {
    const { answer, glyphs } = probe();
    expect(await answer(2)).toBe(0);
    expect(glyphs()).toBe(unicodeGlyphs);
  });

  it('is taken as config.yaml says where it says so', async () => {
    const { answer, glyphs } = probe('narrow');
    expect(await answer(3)).toBe(0);
    expect(glyphs()).toBe(unicodeGlyphs);
  });
});
