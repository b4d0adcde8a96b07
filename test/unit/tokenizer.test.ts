import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InputEvent, KeyEvent } from '../../src/terminal/input-event.ts';
import { createTokenizer } from '../../src/terminal/tokenizer.ts';
import type { Tokenizer } from '../../src/terminal/tokenizer.ts';
import { parseKey } from '../../src/ui/key-notation.ts';
import { keyBytes } from '../support/key-bytes.ts';
import type { KeyProtocol } from '../support/key-bytes.ts';

/** A tokenizer whose clock stands still until it is moved. */
function setUp(escapeDelayMs = 30) {
  const events: InputEvent[] = [];
  let time = 0;
  let waiting: { at: number; run: () => void } | undefined;
  const tokenizer: Tokenizer = createTokenizer({
    emit: (event) => events.push(event),
    now: () => time,
    timers: {
      set: (run, ms) => (waiting = { at: time + ms, run }),
      clear: () => (waiting = undefined),
    },
    escapeDelayMs,
  });
  /** Time goes on; with `turns`, at most that many timers run: the loop reads what has come in before it runs the next. */
  const pass = (ms: number, { turns = Infinity } = {}) => {
    const until = time + ms;
    for (let turn = 0; turn < turns && waiting !== undefined && waiting.at <= until; turn++) {
      const due = waiting;
      waiting = undefined;
      time = due.at;
      due.run();
    }
    time = until;
  };
  const send = (bytes: string | Uint8Array) => tokenizer.feed(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  return { events, tokenizer, pass, send };
}

/** What these bytes are, in one read, once time has passed. */
function read(bytes: string | Uint8Array): InputEvent[] {
  const { events, pass, send } = setUp();
  send(bytes);
  pass(10_000);
  return events;
}

const key = (notation: string): KeyEvent => ({ type: 'key', ...(parseKey(notation) as Omit<KeyEvent, 'type'>) });
const text = (typed: string): InputEvent => ({ type: 'text', text: typed });
const paste = (pasted: string): InputEvent => ({ type: 'paste', text: pasted });

describe('every key of the program, as an old terminal and as a new one sends it', () => {
  const common = [
    ...'abcdefghklnoprstuvwxyz'.split('').map((letter) => `ctrl+${letter}`),
    ...['ctrl+j', 'ctrl+_', 'ctrl+]', 'ctrl+space', 'ctrl+left', 'ctrl+right', 'ctrl+delete', 'ctrl+shift+left', 'ctrl+shift+right'],
    ...['alt+a', 'alt+b', 'alt+c', 'alt+d', 'alt+e', 'alt+f', 'alt+h', 'alt+.', 'alt+ㅂ', 'alt+backspace', 'alt+enter'],
    ...['alt+left', 'alt+right', 'alt+up', 'alt+down', 'shift+left', 'shift+right', 'shift+up', 'shift+down', 'shift+tab'],
    ...['enter', 'escape', 'tab', 'backspace', 'up', 'down', 'left', 'right', 'home', 'end', 'pageup', 'pagedown', 'insert', 'delete'],
    ...Array.from({ length: 12 }, (_, i) => `f${i + 1}`),
  ];
  const only: Partial<Record<KeyProtocol, string[]>> = {
    kitty: [
      'shift+enter',
      'ctrl+enter',
      'shift+backspace',
      'ctrl+backspace',
      'ctrl+i',
      'ctrl+m',
      'ctrl+[',
      'ctrl+shift+x',
      'ctrl+h',
      'ctrl+f3',
    ],
    modifyOtherKeys: ['shift+enter', 'ctrl+enter', 'ctrl+tab', 'shift+backspace'],
    application: ['ctrl+f2', 'shift+f5'],
  };
  for (const protocol of ['legacy', 'application', 'kitty', 'modifyOtherKeys'] as const) {
    test.each([...common, ...(only[protocol] ?? [])])(`${protocol}: %s`, (name) => {
      expect(read(keyBytes(name, protocol))).toEqual([key(name)]);
    });
  }

  test.each(['|', '-', '=', 'x', '?', 'y', '\\', 'ㅛ'])('%s is text', (char) => {
    expect(read(char)).toEqual([text(char)]);
  });
});

describe('the ways of particular terminals', () => {
  test.each<[string, string, InputEvent[]]>([
    ['Linux console Home, End, F1, F5', '\x1b[1~\x1b[4~\x1b[[A\x1b[[E', [key('home'), key('end'), key('f1'), key('f5')]],
    ['rxvt Home and End', '\x1b[7~\x1b[8~', [key('home'), key('end')]],
    ['rxvt Shift, Ctrl and both on PgUp', '\x1b[5$\x1b[5^\x1b[5@', [key('shift+pageup'), key('ctrl+pageup'), key('ctrl+shift+pageup')]],
    ['rxvt Shift+Up, Ctrl+Up, Alt+Up', '\x1b[a\x1bOa\x1b\x1b[A', [key('shift+up'), key('ctrl+up'), key('alt+up')]],
    ['application cursor and keypad keys', '\x1bOA\x1bOM\x1bOk\x1bOp', [key('up'), key('enter'), text('+'), text('0')]],
    ['old xterm modifiers in SS3', '\x1bO5P', [key('ctrl+f1')]],
    ['F3 with Ctrl, which looks like a cursor report', '\x1b[1;5R', [key('ctrl+f3')]],
    ['Ctrl+/ as 0x1f, as modifyOtherKeys and as CSI u', '\x1f\x1b[27;5;47~\x1b[47;5u', [key('ctrl+_'), key('ctrl+_'), key('ctrl+_')]],
    ['Ctrl+_ where Shift is reported apart', '\x1b[45;6u\x1b[27;6;95~', [key('ctrl+_'), key('ctrl+_')]],
    ['Ctrl+H and Backspace', '\x08\x7f', [key('ctrl+h'), key('backspace')]],
    ['Ctrl+J and Enter', '\n\r', [key('ctrl+j'), key('enter')]],
    ['Ctrl+Space as NUL', '\0', [key('ctrl+space')]],
    ['Esc pressed twice', '\x1b\x1b', [key('escape'), key('escape')]],
    ['Esc, then Alt+x', '\x1b\x1bx', [key('escape'), key('alt+x')]],
    ['Alt with a capital', '\x1bA', [key('alt+shift+a')]],
    ['Alt with a character beyond the basic plane', '\x1b😀', [{ ...key('alt+a'), name: '😀' }]],
    ['Alt+Ctrl+A', '\x1b\x01', [key('ctrl+alt+a')]],
    ['Alt+Space', '\x1b ', [key('alt+space')]],
    ['capital as modifyOtherKeys 2 sends it', '\x1b[27;2;65~', [text('A')]],
    ['ST alone', 'a\x1b\\b', [text('a'), text('b')]],
  ])('%s', (_name, bytes, events) => {
    expect(read(bytes)).toEqual(events);
  });
});

describe('the kitty protocol', () => {
  test.each<[string, string, InputEvent[]]>([
    ['a release is nothing', '\x1b[99;5:3u\x1b[1;1:3A\x1b[3;1:3~', []],
    ['a repeat is a press', '\x1b[99;5:2u', [key('ctrl+c')]],
    ['associated text', '\x1b[97;2;65u', [text('A')]],
    ['associated text of several characters', '\x1b[0;;54620;44544u'.replace(';44544', ':44544'), [text('한글')]],
    ['the shifted alternate', '\x1b[47:63;2u', [text('?')]],
    ['a letter under Shift without alternates', '\x1b[97;2u', [text('A')]],
    ['Caps Lock', '\x1b[97;65u', [text('A')]],
    ['Num Lock changes nothing', '\x1b[99;133u', [key('ctrl+c')]],
    ['a Korean layout, by the base key', '\x1b[12620::120;5u', [key('ctrl+x')]],
    ['a Korean layout without the base key', '\x1b[12620;5u', [{ ...key('ctrl+x'), name: 'ㅌ' }]],
    ['Alt and a shifted sign', '\x1b[46:62;4u', [key('alt+>')]],
    ['Super belongs to the window manager', '\x1b[99;9u', []],
    [
      'functional keys',
      '\x1b[57344u\x1b[57352u\x1b[57364u\x1b[57414u\x1b[57419u',
      [key('escape'), key('up'), key('f1'), key('enter'), key('up')],
    ],
    ['keypad digits and signs', '\x1b[57399u\x1b[57408u\x1b[57413u', [text('0'), text('9'), text('+')]],
    ['lock and modifier keys are nothing', '\x1b[57358u\x1b[57441;2u', []],
    ['media keys are nothing', '\x1b[57430u', []],
    ['impossible code points are nothing', '\x1b[55296u\x1b[9999999u\x1b[;5u', []],
    ['Space', '\x1b[32u\x1b[32;5u', [text(' '), key('ctrl+space')]],
  ])('%s', (_name, bytes, events) => {
    expect(read(bytes)).toEqual(events);
  });
});

describe('the mouse', () => {
  const at = { type: 'mouse', x: 4, y: 9, shift: false, alt: false, ctrl: false } as const;
  test.each<[string, string, InputEvent[]]>([
    [
      'press, drag and release in one read',
      '\x1b[<0;5;10M\x1b[<32;5;10M\x1b[<0;5;10m',
      [
        { ...at, action: 'press', button: 'left' },
        { ...at, action: 'drag', button: 'left' },
        { ...at, action: 'release', button: 'left' },
      ],
    ],
    [
      'the wheel',
      '\x1b[<64;5;10M\x1b[<65;5;10M',
      ['wheel-up', 'wheel-down'].map((action) => ({ ...at, action, button: 'none' }) as InputEvent),
    ],
    ['modifiers', '\x1b[<20;5;10M', [{ ...at, action: 'press', button: 'left', shift: true, ctrl: true }]],
    ['text right behind', '\x1b[<2;5;10Mabc', [{ ...at, action: 'press', button: 'right' }, text('abc')]],
    ['moving without a button is nothing', '\x1b[<35;5;10M', []],
    ['sideways wheel and extra buttons are nothing', '\x1b[<66;5;10M\x1b[<128;5;10M', []],
    ['broken numbers are nothing', '\x1b[<0;5M\x1b[<;;M\x1b[<0;5;99999999M', []],
    ['X10 garbage takes its three bytes along', '\x1b[M !!x', [text('x')]],
    ['focus', '\x1b[I\x1b[O', [true, false].map((focused) => ({ type: 'focus', focused }) as InputEvent)],
  ])('%s', (_name, bytes, events) => {
    expect(read(bytes)).toEqual(events);
  });

  test('X10 bytes above 0x7f are not text either', () => {
    expect(read(Buffer.from([0x1b, 0x5b, 0x4d, 0x20, 0xff, 0xc3, 0x61]))).toEqual([text('a')]);
  });
});

describe('answers of the terminal are never text', () => {
  test.each<[string, string, string, string]>([
    ['DA1', '\x1b[?62;22c', 'csi', '[?62;22c'],
    ['DA2', '\x1b[>41;354;0c', 'csi', '[>41;354;0c'],
    ['cursor report', '\x1b[24;80R', 'cpr', '[24;80R'],
    ['cursor report in row 1', '\x1b[1;80R', 'cpr', '[1;80R'],
    ['kitty flags', '\x1b[?1u', 'csi', '[?1u'],
    ['DECRPM', '\x1b[?2026;2$y', 'csi', '[?2026;2$y'],
    ['ANSI DECRPM', '\x1b[4;2$y', 'csi', '[4;2$y'],
    ['window size', '\x1b[8;24;80t', 'csi', '[8;24;80t'],
    ['OSC 11 with BEL', '\x1b]11;rgb:1010/1010/1010\x07', 'osc', ']11;rgb:1010/1010/1010'],
    ['OSC 11 with ST', '\x1b]11;rgb:1010/1010/1010\x1b\\', 'osc', ']11;rgb:1010/1010/1010'],
    ['OSC 52', '\x1b]52;c;aGk=\x1b\\', 'osc', ']52;c;aGk='],
    ['XTVERSION', '\x1bP>|XTerm(379)\x1b\\', 'dcs', 'P>|XTerm(379)'],
    ['kitty graphics', '\x1b_Gi=1;OK\x1b\\', 'apc', '_Gi=1;OK'],
  ])('%s', (_name, bytes, kind, data) => {
    expect(read(`a${bytes}b`)).toEqual([text('a'), { type: 'reply', kind, data }, text('b')]);
  });

  test('an oversize answer is dropped whole, what follows is typed', () => {
    expect(read(`\x1b]52;c;${'A'.repeat(200_000)}\x07x`)).toEqual([text('x')]);
    expect(read(`\x1b[${'1;'.repeat(5000)}Ax`)).toEqual([text('x')]);
  });

  test('an answer that never ends takes at most a second', () => {
    const { events, pass, send } = setUp();
    send('\x1b]11;rgb');
    pass(400);
    send(':10');
    pass(700);
    send('typed');
    expect(events).toEqual([text('typed')]);
  });

  test('an answer cut off by another sequence gives way to it', () => {
    expect(read('\x1b]11;rgb:10\x1b[A')).toEqual([key('up')]);
  });

  test('Alt+] and a word are somebody typing', () => {
    expect(read('\x1b]hello')).toEqual([text('hello')]);
  });
});

describe('a lone Esc waits, a split sequence does not become Esc', () => {
  test('Esc after its 30 ms, not before', () => {
    const { events, pass, send } = setUp();
    send('\x1b');
    pass(29);
    expect(events).toEqual([]);
    pass(1);
    expect(events).toEqual([key('escape')]);
  });

  test.each([100, 0])('a delay of %d ms', (delay) => {
    const { events, pass, send } = setUp(delay);
    send('\x1b');
    pass(delay);
    expect(events).toEqual([key('escape')]);
  });

  test('a rest within the delay makes one key', () => {
    const { events, pass, send } = setUp();
    send('\x1b');
    pass(20);
    send('[');
    pass(150);
    send('1;');
    pass(150);
    send('5C');
    expect(events).toEqual([key('ctrl+right')]);
  });

  test.each<[string, string, InputEvent[]]>([
    ['a cursor report', '\x1b[2;3R', [{ type: 'reply', kind: 'cpr', data: '[2;3R' }]],
    ['device attributes', '\x1b[?62;4c', [{ type: 'reply', kind: 'csi', data: '[?62;4c' }]],
    ['a mode report', '\x1b[?2026;2$y', [{ type: 'reply', kind: 'csi', data: '[?2026;2$y' }]],
    ['a status report', '\x1b[0n', [{ type: 'reply', kind: 'csi', data: '[0n' }]],
    ['a colour', '\x1b]11;rgb:1/2/3\x07', [{ type: 'reply', kind: 'osc', data: ']11;rgb:1/2/3' }]],
    ['focus', '\x1b[I', [{ type: 'focus', focused: true }]],
    ['a click', '\x1b[<0;5;5M', read('\x1b[<0;5;5M')],
    ['an X10 click', '\x1b[M !!', []],
    ['a paste', '\x1b[200~a\x1b[201~', [paste('a')]],
    ['a sequence nobody knows', '\x1b[99~', []],
  ])('the Escape key right before %s is pressed, and what follows is read too', (_what, follows, events) => {
    expect(read(`\x1b${follows}`)).toEqual([key('escape'), ...events]);
    expect(read(`\x1b\x1b${follows}`)).toEqual([key('escape'), key('escape'), ...events]);
  });

  test.each(['[A', 'OP', '[1;5C', '[3~', '[<0;5;5M', '[M !!', ']11;rgb:1/2/3\x07', '[I'])(
    'a tail 150 ms behind a delivered Esc is swallowed: %j',
    (tail) => {
      const { events, pass, send } = setUp();
      send('\x1b');
      pass(150);
      send(tail);
      pass(2000);
      send('x');
      expect(events).toEqual([key('escape'), text('x')]);
    },
  );

  test('so is a tail that comes byte by byte', () => {
    const { events, pass, send } = setUp();
    for (const byte of '\x1b[1;5C') {
      send(byte);
      pass(150);
    }
    send('x');
    expect(events).toEqual([key('escape'), text('x')]);
  });

  test('a paste behind a delivered Esc is still a paste', () => {
    const { events, pass, send } = setUp();
    send('\x1b');
    pass(150);
    send('[200~a\rb\x1b[201~');
    expect(events).toEqual([key('escape'), paste('a\nb')]);
  });

  test.each([
    ['a word', 'Okay'],
    ['a bracket', '['],
    ['a bracket and Hangul', '[한'],
    ['a closing bracket and a word', ']a'],
    ['a letter', 'q'],
  ])('what a person types after Esc is typed: %s', (_name, typed) => {
    const { events, pass, send } = setUp();
    send('\x1b');
    pass(150);
    send(typed);
    pass(2000);
    expect(merge(events)).toEqual([key('escape'), text(typed)]);
  });

  test('after 500 ms nothing is swallowed', () => {
    const { events, pass, send } = setUp();
    send('\x1b');
    pass(600);
    send('[A');
    expect(events).toEqual([key('escape'), text('[A')]);
  });

  test('a sequence that stops short is dropped', () => {
    const { events, pass, send } = setUp();
    send('\x1b[1;');
    pass(600);
    send('x');
    expect(events).toEqual([text('x')]);
  });
});

describe('typed text', () => {
  test('a character split across reads is one', () => {
    const { events, send } = setUp();
    for (const byte of Buffer.from('한😀')) send(Uint8Array.of(byte));
    expect(events).toEqual([text('한'), text('😀')]);
  });

  test.each<[string, number[], InputEvent[]]>([
    ['a broken character before a key', [0xed, 0x95, 0x0d], [text('\ufffd'), key('enter')]],
    ['a byte that begins nothing', [0x61, 0xff, 0x62], [text('a\ufffdb')]],
    ['C1 controls as UTF-8 are dropped', [0x61, 0xc2, 0x9b, 0x62], [text('ab')]],
    ['Alt with a broken character', [0x1b, 0xe3, 0x61], [text('a')]],
  ])('%s', (_name, bytes, events) => {
    expect(read(Uint8Array.from(bytes))).toEqual(events);
  });
});

describe('paste', () => {
  test.each<[string, string, string]>([
    ['CR and CRLF become LF', 'a\rb\r\nc\nd', 'a\nb\nc\nd'],
    ['nothing else changes', '\t \x07 e\u0301 \ufeffx\x1b[31m', '\t \x07 e\u0301 \ufeffx\x1b[31m'],
    ['mouse and key sequences inside are text', 'a\x1b[<0;1;1M\x1b[A', 'a\x1b[<0;1;1M\x1b[A'],
    ['the beginning of a marker is text', 'a\x1b[20\x1b[201', 'a\x1b[20\x1b[201'],
    ['a begin marker inside is text', 'a\x1b[200~b', 'a\x1b[200~b'],
    ['nothing', '', ''],
  ])('%s', (_name, body, pasted) => {
    expect(read(`\x1b[200~${body}\x1b[201~`)).toEqual([paste(pasted)]);
  });

  test('markers and characters split anywhere', () => {
    const bytes = Buffer.from('x\x1b[200~한글\r\n😀\x1b[201~y');
    for (let cut = 1; cut < bytes.length; cut++) {
      const { events, send } = setUp();
      send(bytes.subarray(0, cut));
      send(bytes.subarray(cut));
      expect(merge(events), `cut at ${cut}`).toEqual([text('x'), paste('한글\n😀'), text('y')]);
    }
  });

  test('invalid UTF-8 is U+FFFD', () => {
    const bytes = Buffer.concat([Buffer.from('\x1b[200~a'), Buffer.from([0xff, 0xe3]), Buffer.from('\x1b[201~')]);
    expect(read(bytes)).toEqual([paste('a\ufffd\ufffd')]);
  });

  test('10 MB in small reads takes linear time and arrives whole', () => {
    const line = 'one line of text 한글 😀\n';
    const body = Buffer.from(line.repeat(Math.ceil((10 * 1024 * 1024) / Buffer.byteLength(line))));
    const { events, send } = setUp();
    const start = performance.now();
    send('\x1b[200~');
    for (let at = 0; at < body.length; at += 4096) send(body.subarray(at, at + 4096));
    send('\x1b[201~');
    expect(performance.now() - start).toBeLessThan(2000);
    expect(events).toEqual([paste(body.toString())]);
  });

  test('a paste that never ends is delivered after a silence, and typing goes on', () => {
    const { events, pass, send } = setUp();
    send('\x1b[200~half');
    pass(1500);
    send(' a paste');
    pass(1500);
    expect(events).toEqual([]);
    pass(600);
    send('x');
    expect(events).toEqual([paste('half a paste'), text('x')]);
  });

  test('without markers a CR with text behind it is a line break', () => {
    expect(read('first\rsecond\r\n\rthird')).toEqual([text('first'), paste('\nsecond\n\nthird')]);
  });

  test('so it is when the text comes within 5 ms, and Enter when nothing comes', () => {
    const { events, pass, send } = setUp();
    send('first\r');
    pass(4);
    send('second\r');
    pass(5);
    expect(events).toEqual([text('first'), paste('\nsecond\n')]);
    send('third\r');
    pass(5);
    expect(events.slice(2)).toEqual([text('third'), key('enter')]);
  });

  test('the line break that ends pasted lines is no Enter either', () => {
    const { events, pass, send } = setUp();
    send('a\rb\r');
    pass(1000);
    expect(events).toEqual([text('a'), paste('\nb\n')]);
  });

  test('a long one is one event over all its reads, with its tabs', () => {
    const { events, pass, send } = setUp();
    const pasted = Array.from({ length: 400 }, (_, line) => `${line}\t줄`).join('\n');
    const bytes = Buffer.from(pasted.replaceAll('\n', '\r'));
    for (let at = 0; at < bytes.length; at += 1021) {
      send(bytes.subarray(at, at + 1021));
      pass(30);
    }
    pass(10);
    expect(events).toEqual([paste(pasted)]);
    send('\t');
    expect(events.at(-1)).toEqual(key('tab'));
  });

  test('a long line and Enter in one read is a line and Enter', () => {
    const { events, pass, send } = setUp();
    send(`${'word '.repeat(100)}\r`);
    pass(100);
    expect(events).toEqual([paste('word '.repeat(100)), key('enter')]);
  });

  test('a timer that came due while the program was busy waits for what has come in meanwhile', () => {
    const { events, pass, send } = setUp();
    send('first\r');
    pass(5, { turns: 1 });
    send('second');
    pass(100);
    expect(events).toEqual([text('first'), paste('\nsecond')]);
  });

  test('Enter before another key is Enter at once', () => {
    const { events, send } = setUp();
    send('a\r\x1b[A');
    expect(events).toEqual([text('a'), key('enter'), key('up')]);
  });
});

test('when input ends what waits is delivered', () => {
  const { events, tokenizer, send } = setUp();
  send('\x1b[200~half');
  tokenizer.end();
  send('a\r');
  tokenizer.end();
  send('\x1b');
  tokenizer.end();
  expect(events).toEqual([paste('half'), text('a'), key('enter'), key('escape')]);
});

/** Reads cut text in pieces; joined again, cuts must not show. Line breaks of unmarked pastes join the text around them. */
function merge(events: readonly InputEvent[]): InputEvent[] {
  const merged: InputEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (event.type === 'text' && last?.type === 'text') merged[merged.length - 1] = text(last.text + event.text);
    else merged.push(event);
  }
  return merged;
}

function mergeTyped(events: readonly InputEvent[]): InputEvent[] {
  const merged: InputEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    const isTyped = event.type === 'text' || event.type === 'paste';
    if (isTyped && last?.type === 'text') merged[merged.length - 1] = text(last.text + event.text);
    else merged.push(isTyped ? text(event.text) : event);
  }
  return merged;
}

describe('however the reads are cut', () => {
  const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() & 0x7fffffff);
  const pieces = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 4 }),
    fc.constantFrom(
      ...[
        '\x1b',
        '\x1b[A',
        '\x1b[',
        '\x1bO',
        '\x1bOP',
        '\x1b[1;5C',
        '\x1b[99;5u',
        '\x1b[27;2;13~',
        '\x1b[<0;5;10M',
        '\x1b[<0;5;10m',
        '\x1b[M !!',
      ],
      ...[
        '\x1b[200~',
        '\x1b[201~',
        '\x1b]11;rgb:1/2/3\x07',
        '\x1b]11;',
        '\x1b\\',
        '\x1bP>|x\x1b\\',
        '\x1b[?62c',
        '\x1b[5;10R',
        '\x1b[[A',
        '\x1b[5$',
      ],
      ...['\r', '\n', '\r\n', '\t', '\x7f', '\x00', '한글', '👨‍👩‍👧', '\x1bㅂ', '\x1b\x1b[A', '[A', '201~'],
    ),
  );
  const bytes = fc.oneof(
    fc.array(pieces, { maxLength: 30 }).map((parts) => Buffer.from(parts.join(''))),
    fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)),
  );

  test(`the same events come out (seed ${seed})`, () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }), (stream, cuts) => {
        const whole = setUp();
        whole.send(stream);
        whole.tokenizer.end();
        const cut = setUp();
        for (let at = 0, i = 0; at < stream.length; i++) {
          const size = cuts[i % cuts.length] as number;
          cut.send(stream.subarray(at, at + size));
          at += size;
        }
        cut.tokenizer.end();
        expect(mergeTyped(cut.events)).toEqual(mergeTyped(whole.events));
      }),
      { seed, numRuns: 3000 },
    );
  });

  test(`no bytes make it throw, hang or type a control character, however time passes (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(bytes, fc.integer({ min: 0, max: 700 })), { maxLength: 8 }), (reads) => {
        const { events, tokenizer, pass, send } = setUp();
        for (const [stream, ms] of reads) {
          send(stream);
          pass(ms);
        }
        tokenizer.end();
        for (const event of events) if (event.type === 'text') expect(event.text).not.toMatch(/\p{Cc}/u);
      }),
      { seed, numRuns: 1500 },
    );
  });
});
