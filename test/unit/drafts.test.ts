import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recallCommands, rememberCommand } from '../../src/app/command-history.ts';
import { Drafts } from '../../src/app/drafts.ts';
import { openLog } from '../../src/app/log.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'hermes-drafts-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const open = (): Drafts =>
  new Drafts(home, {
    now: () => 1000,
    onTrouble: (error) => {
      throw error;
    },
  });
const folder = (): string => path.join(home, 'tui', 'drafts');

describe('drafts', () => {
  it('come back as they were, 0600, and are gone when sent', () => {
    const drafts = open();
    drafts.save('20250305_091523_a1b2c3', () => ({ text: '안녕\n초안', queue: ['second'] }));
    drafts.flush();
    const [file] = readdirSync(folder());
    expect(statSync(path.join(folder(), file!)).mode & 0o777).toBe(0o600);
    expect(open().load('20250305_091523_a1b2c3')).toEqual({ text: '안녕\n초안', queue: ['second'] });
    drafts.save('20250305_091523_a1b2c3', () => ({ text: '', queue: [] }));
    drafts.flush();
    expect(readdirSync(folder())).toEqual([]);
  });

  it('are written within a second', async () => {
    const drafts = open();
    drafts.save('a', () => ({ text: 'typed', queue: [] }));
    await expect.poll(() => open().load('a').text, { timeout: 1500, interval: 20 }).toBe('typed');
  });

  it('of another session are written before that one is kept', () => {
    const drafts = open();
    drafts.save('a', () => ({ text: 'one', queue: [] }));
    drafts.save('b', () => ({ text: 'two', queue: [] }));
    expect(open().load('a').text).toBe('one');
    drafts.flush();
    expect(open().load('b').text).toBe('two');
  });

  it('never leave their folder, whatever the key', () => {
    const drafts = open();
    drafts.save('../../escape', () => ({ text: 'x', queue: [] }));
    drafts.flush();
    expect(readdirSync(home)).toEqual(['tui']);
    expect(open().load('../../escape').text).toBe('x');
  });

  it.each(['', '{', '{"v":2,"text":"x","queue":[]}', '[]', 'null'])('a file that says %j counts as none and is left alone', (content) => {
    mkdirSync(folder(), { recursive: true });
    const file = path.join(folder(), 'a.json');
    writeFileSync(file, content);
    expect(open().load('a')).toEqual({ text: '', queue: [] });
    expect(readFileSync(file, 'utf8')).toBe(content);
  });
});

describe('the history of slash commands', () => {
  it('is newest first, without neighbours that are equal, and survives a broken line', () => {
    const log = openLog(home, () => 0);
    for (const line of ['/status', '/status', '/title 제목']) rememberCommand(home, line, log);
    writeFileSync(path.join(home, 'tui', 'commands.jsonl'), '{"v":1,"li', { flag: 'a' });
    expect(recallCommands(home)).toEqual(['/title 제목', '/status']);
  });

  it('of a fresh home is empty', () => expect(recallCommands(home)).toEqual([]));

  it('does not grow without end', () => {
    const log = openLog(home, () => 0);
    for (let index = 0; index < 1203; index++) rememberCommand(home, `/title ${index}`, log);
    expect(
      readFileSync(path.join(home, 'tui', 'commands.jsonl'), 'utf8')
        .trim()
        .split('\n').length,
    ).toBeLessThanOrEqual(1000);
    expect(recallCommands(home)[0]).toBe('/title 1202');
  });
});

describe('the log', () => {
  it('holds codes and places, never the message of an error', () => {
    const log = openLog(home, () => Date.UTC(2026, 0, 2));
    log.error('effect', Object.assign(new Error('secret words of a conversation'), { code: 'E1' }));
    const text = readFileSync(path.join(home, 'tui', 'log', 'hermes.log'), 'utf8');
    expect(text).toContain('2026-01-02T00:00:00.000Z');
    expect(text).toContain('"E1"');
    expect(text).not.toContain('secret');
  });

  it('is five files of about 1 MB', () => {
    const log = openLog(home, () => 0);
    const filler = 'x'.repeat(100_000);
    for (let index = 0; index < 80; index++) log.write('filler', { filler });
    const sizes = readdirSync(path.join(home, 'tui', 'log')).map((name) => statSync(path.join(home, 'tui', 'log', name)).size);
    expect(sizes.length).toBe(5);
    expect(Math.max(...sizes)).toBeLessThan(1.3 * 1024 * 1024);
  });
});
