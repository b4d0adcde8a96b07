import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agent, you, type Conversation } from '../../fixtures/stores/conversation.ts';
import { composerOf, hermesBin, makeMachine, startHermes, statusOf, untilComposer, untilText, type Machine } from '../support/hermes.ts';
import { startTmux } from '../support/tmux.ts';
import type { Tui } from '../support/tui.ts';

/** Case 22 of the situations: a folded paste is sent in full, byte for byte, whatever happens in between. */
const tenThousand = Array.from(
  { length: 10_000 },
  (_, index) => `${index + 1}\t한글 줄 ${index} — "quoted" \\ 👩‍👩‍👧 e\u0301 ${'x'.repeat(index % 40)}`,
).join('\n');
const thirteen = Array.from({ length: 13 }, (_, index) => `line ${index + 1}`).join('\n');

const said = (machine: Machine): string[] =>
  machine
    .messages()
    .filter((row) => row.role === 'user')
    .map((row) => row.content);

/** Milliseconds within which a paste must be seen (work order). */
const visibleMs = 300;

describe('10,000 lines', () => {
  test('bracketed: folded, seen at once, one message, byte for byte', async () => {
    const machine = await makeMachine();
    const pasteInto = async (tui: Tui): Promise<number> => {
      const shown = (async () => {
        const start = performance.now();
        await tui.until((t) => t.text().includes('[pasted 10000 lines]') || t.text().includes('[pasted 10,000 lines]'), 'the folded paste');
        return performance.now() - start;
      })();
      tui.paste(tenThousand);
      return shown;
    };
    // The first paste of a program each time, the least of three: others use the machine too.
    const times: number[] = [];
    for (let run = 0; run < 2; run++) {
      const other = await startHermes(machine);
      times.push(await pasteInto(other));
      await other.close();
    }
    const tui = await startHermes(machine);
    times.push(await pasteInto(tui));
    const said10k = `10,000 lines (${Buffer.byteLength(tenThousand)} bytes) through the pty`;
    console.log(`${said10k}: visible after ${times.map((ms) => Math.round(ms)).join(', ')} ms`);
    expect(Math.min(...times)).toBeLessThan(visibleMs);
    tui.press('enter');
    await tui.until(() => said(machine).length === 1, 'the message in the store');
    expect(said(machine)[0] === tenThousand).toBe(true);
    await untilText(tui, 'Understood.');
    expect(machine.model.asked.at(-1) === tenThousand).toBe(true);
  });

  test('through tmux, paste-buffer -p', async () => {
    const machine = await makeMachine();
    const file = join(machine.home, 'paste.txt');
    writeFileSync(file, tenThousand);
    const tmux = await startTmux({
      cols: 100,
      rows: 30,
      cwd: machine.work,
      env: { HERMES_HOME: machine.home },
      command: `${process.execPath} ${hermesBin}`,
    });
    await tmux.until((lines) => lines.some((line) => line.includes('❯')), 'the line');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await tmux.command('load-buffer', file);
    const start = performance.now();
    await tmux.command('paste-buffer', '-p');
    await tmux.until((lines) => lines.some((line) => line.includes('pasted 10')), 'the folded paste');
    const ms = performance.now() - start;
    console.log(`10,000 lines through tmux: visible after ${Math.round(ms)} ms, commands of tmux and its capture included`);
    expect(ms).toBeLessThan(visibleMs + 200);
    await tmux.send('Enter');
    await tmux.until((lines) => lines.some((line) => line.includes('Understood.')), 'the answer');
    expect(said(machine).length).toBe(1);
    expect(said(machine)[0] === tenThousand).toBe(true);
  });

  test('without bracketed paste: line breaks are no Enter', async () => {
    const machine = await makeMachine();
    const tui = await startHermes(machine);
    tui.write(tenThousand.replaceAll('\n', '\r'));
    const start = performance.now();
    await tui.quiet(1500);
    console.log(`unbracketed: quiet after ${Math.round(performance.now() - start - 1500)} ms\n${tui.text()}`);
    await tui.quiet(300);
    expect(said(machine)).toEqual([]);
    tui.press('enter');
    await tui.until(() => said(machine).length > 0, 'the message in the store');
    await untilText(tui, 'Understood.');
    expect(said(machine).length).toBe(1);
    expect(said(machine)[0] === tenThousand).toBe(true);
  }, 90_000);
});

test('a megabyte, with CR, CRLF and bytes that are no text', async () => {
  const machine = await makeMachine();
  const tui = await startHermes(machine);
  const line = `${'가나다라 abc '.repeat(60)}`;
  const megabyte = Array.from({ length: Math.ceil(1_048_576 / (Buffer.byteLength(line) + 1)) }, () => line).join('\n');
  tui.write(
    Buffer.concat([Buffer.from(`\x1b[200~a\r\nb\rc\x1b[<0;1;1M\t`), Buffer.from([0xff, 0xfe]), Buffer.from(`${megabyte}\x1b[201~`)]),
  );
  await untilText(tui, '[pasted');
  tui.press('enter');
  await tui.until(() => said(machine).length === 1, 'the message in the store');
  expect(said(machine)[0] === `a\nb\nc\x1b[<0;1;1M\t\ufffd\ufffd${megabyte}`).toBe(true);
});

test('while a turn runs it is queued, and stored after it', async () => {
  const machine = await makeMachine();
  const tui = await startHermes(machine);
  machine.model.script(['part ']);
  machine.model.hold();
  tui.write('go');
  tui.press('enter');
  await untilText(tui, 'part');
  tui.paste(thirteen);
  await untilText(tui, '[pasted 13 lines]');
  tui.press('enter');
  await tui.until((t) => statusOf(t).includes('1 queued'), 'the queued message');
  expect(said(machine)).toEqual(['go']);
  machine.model.release();
  await tui.until(() => said(machine).length === 2, 'the second message');
  expect(said(machine)).toEqual(['go', thirteen]);
});

test('text that looks like the folded form is only text', async () => {
  const machine = await makeMachine();
  const tui = await startHermes(machine);
  const lookalike = '[pasted 13 lines]';
  tui.paste(lookalike);
  await untilComposer(tui, lookalike);
  tui.press('backspace');
  await untilComposer(tui, lookalike.slice(0, -1));
  tui.write('] ');
  tui.paste(thirteen);
  await tui.until((t) => composerOf(t).text === `${lookalike} [pasted 13 lines]`, 'both');
  tui.write(' \ud83d\ude00');
  tui.press('enter');
  await tui.until(() => said(machine).length === 1, 'the message in the store');
  expect(said(machine)).toEqual([`${lookalike} ${thirteen} 😀`]);
});

test('twice, edited, unfolded, taken back from the history, all in full', async () => {
  const machine = await makeMachine();
  const tui = await startHermes(machine);
  const other = thirteen.replaceAll('line', '줄');
  tui.paste(thirteen);
  await untilText(tui, '[pasted 13 lines]');
  tui.write(' and ');
  tui.paste(other);
  await tui.until((t) => composerOf(t).text === '[pasted 13 lines] and [pasted 13 lines]', 'both folded');
  tui.press('ctrl+a');
  tui.write('see: ');
  await tui.until((t) => composerOf(t).text.startsWith('see: [pasted'), 'the words before it');
  const whole = `see: ${thirteen} and ${other}`;
  tui.press('enter');
  await untilText(tui, 'Understood.');
  expect(said(machine)).toEqual([whole]);
  tui.press('up');
  await tui.until((t) => composerOf(t).text !== '', 'the message from the history');
  tui.press('ctrl+e');
  tui.write('!');
  tui.press('enter');
  await tui.until(() => said(machine).length === 2, 'the message again');
  expect(said(machine)[1]?.replace('!', '')).toBe(whole);
  // Backspace takes a folded paste as one; undo brings it back; Tab shows it in full.
  tui.paste(thirteen);
  await untilText(tui, '[pasted 13 lines]');
  tui.press('backspace');
  await untilComposer(tui, '');
  tui.press('ctrl+_');
  await untilComposer(tui, '[pasted 13 lines]');
  tui.press('tab');
  await tui.until((t) => composerOf(t).text.includes('line 13'), 'the whole text');
});

test('a draft with a folded paste survives a restart, and kill -9', async () => {
  const machine = await makeMachine({
    conversations: (work): Conversation[] => [{ title: 'kept', source: 'tui', cwd: work, age: 2, messages: [you('q'), agent('a')] }],
  });
  const first = await startHermes(machine, { args: ['-r', 'kept'] });
  await untilText(first, 'Previous conversation');
  first.write('before ');
  first.paste(thirteen);
  await untilText(first, '[pasted 13 lines]');
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await first.kill('SIGKILL');
  const second = await startHermes(machine, { args: ['-r', 'kept'] });
  await second.until((t) => composerOf(t).text.endsWith('line 13'), 'the draft in the line');
  second.press('enter');
  await second.until(() => said(machine).length === 2, 'the message in the store');
  expect(said(machine)[1]).toBe(`before ${thirteen}`);
});

describe('several lines into a field of one line never press Enter', () => {
  const rows = (work: string): Conversation[] => [
    { title: 'alpha beta', source: 'tui', cwd: work, age: 2, messages: [you('q'), agent('a')] },
    { title: 'gamma', source: 'tui', cwd: work, age: 3, messages: [you('q'), agent('a')] },
  ];

  test.each([
    ['bracketed', true],
    ['without brackets', false],
  ])('the filter and the rename field, %s', async (_name, isBracketed) => {
    const machine = await makeMachine({ conversations: rows });
    const tui = await startHermes(machine);
    const paste = (text: string) => (isBracketed ? tui.paste(text) : tui.write(text.replaceAll('\n', '\r')));
    tui.press('ctrl+x');
    await untilText(tui, 'gamma');
    paste('alpha\nbeta');
    await tui.until((t) => t.text().includes('❯ alpha beta') && !t.text().includes('gamma'), 'the filter in one line');
    expect(tui.text()).toContain('Sessions');
    tui.press('ctrl+r');
    await untilText(tui, 'Title of the session');
    tui.press('ctrl+u');
    paste('new\ntitle\n');
    await tui.until((t) => /new title/u.test(t.text()), 'the title in one line');
    expect(tui.text()).toContain('Title of the session');
    expect(machine.ask('SELECT title FROM sessions WHERE id = ?', machine.ids[0])).toBe('alpha beta');
    tui.press('enter');
    await tui.until((t) => !t.text().includes('Title of the session'), 'the answer');
    expect(machine.ask('SELECT title FROM sessions WHERE id = ?', machine.ids[0])).toBe('new title');
  });
});
