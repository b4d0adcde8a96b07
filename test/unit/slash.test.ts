import { describe, expect, it } from 'vitest';
import { completeSlash, parseSlash } from '../../src/ui/slash.ts';

describe('a line is a command only if it names one', () => {
  it.each([
    ['/title my research', { kind: 'command', id: 'session.title', args: 'my research' }],
    ['/TITLE x', { kind: 'command', id: 'session.title', args: 'x' }],
    ['/exit', { kind: 'command', id: 'app.quit', args: '' }],
    ['/q', { kind: 'command', id: 'app.quit', args: '' }],
    ['/clear', { kind: 'command', id: 'session.new', args: '' }],
    ['/sess', { kind: 'command', id: 'app.sessions', args: '' }],
    ['/resume  3 ', { kind: 'command', id: 'session.resume', args: '3' }],
    ['/etc/hosts is broken', { kind: 'message' }],
    ['/title two\nlines', { kind: 'message' }],
    ['// comment', { kind: 'message' }],
    ['/', { kind: 'message' }],
    [' /title x', { kind: 'message' }],
    ['/결제 어디', { kind: 'message' }],
  ])('%j', (line, expected) => expect(parseSlash(line)).toEqual(expected));

  it('a prefix of two commands is unknown, and both are named', () => {
    expect(parseSlash('/m')).toEqual({ kind: 'unknown', word: 'm', nearest: ['model', 'mouse'] });
  });

  it('a misspelt name is unknown, and the nearest is named', () => {
    expect(parseSlash('/stauts')).toEqual({ kind: 'unknown', word: 'stauts', nearest: ['status'] });
  });
});

describe('completion', () => {
  it('lists every command once after a slash', () => {
    const all = completeSlash('/');
    expect(new Set(all.map((entry) => entry.id)).size).toBe(all.length);
    expect(all.map((entry) => entry.name)).toContain('sessions');
  });

  it('narrows to the names that start so', () => {
    expect(completeSlash('/re').map((entry) => entry.name)).toEqual(['resume', 'reload']);
  });

  it('is silent inside arguments and messages', () => {
    expect(completeSlash('/title x')).toEqual([]);
    expect(completeSlash('hello')).toEqual([]);
  });
});
