import type { InputEvent, ReplyEvent } from './input-event.ts';
import { keyEvent } from './key-event.ts';
import { altCharacter, controlKey, csiKey, isRxvtNumber, linuxFunctionKey, ss3Key } from './keys.ts';
import { sgrMouse } from './mouse.ts';
import { createPasteReader } from './paste.ts';
import type { PasteReader } from './paste.ts';

/** Injected, so that tests move time by hand. */
export interface Timers {
  set(run: () => void, ms: number): unknown;
  clear(handle: unknown): void;
}

export interface TokenizerOptions {
  readonly emit: (event: InputEvent) => void;
  readonly timers: Timers;
  /** Milliseconds, any origin. */
  readonly now: () => number;
  /** How long a lone ESC waits for the rest of a sequence: 30 ms, 100 over ssh, 0 where kitty keys are on (product.md 7). */
  readonly escapeDelayMs: number;
}

export interface Tokenizer {
  /** Bytes as they were read; a sequence or character may go on in the next read. */
  feed(bytes: Uint8Array): void;
  setEscapeDelay(ms: number): void;
  /** Input has ended: what waits is delivered, timers stop. */
  end(): void;
}

/** After a lone ESC was delivered, a CSI or SS3 tail this close behind belongs to it and is dropped (a slow connection split it). */
const lateTailMs = 500;
/** A begun sequence that goes no further for so long is dropped. */
const unfinishedMs = 500;
/** Without bracketed paste, a CR with text so close behind is a line break of pasted text, not Enter. */
const pastedReturnMs = 5;
/** Nobody types so many bytes between two reads: text that comes without paste markers, yet is pasted. */
const pastedBytes = 256;
/** Such a paste comes in several reads; it is whole after this silence. Terminals write on as soon as what they wrote was read. */
const pastedSilenceMs = 40;
/** An OSC, DCS, APC … must end this soon after it began; until then what is typed is taken for its content. */
const stringDeadlineMs = 1000;
/** A paste whose end marker does not come is delivered after this silence. */
const pasteSilenceMs = 2000;
/** A longer paste arrives in parts; a string of V8 ends at 512 Mi units. */
const longestPaste = 128 * 1024 * 1024;
const longestParams = 256;
const longestString = 64 * 1024;

const stringKinds: Readonly<Record<number, ReplyEvent['kind']>> = { 0x5d: 'osc', 0x50: 'dcs', 0x5f: 'apc', 0x5e: 'pm', 0x58: 'sos' };

type State = 'ground' | 'escape' | 'csi' | 'ss3' | 'linux' | 'x10' | 'alt-char' | 'string' | 'string-escape' | 'paste';

const ESC = 0x1b;

/**
 * Turns the bytes of a terminal into events. A byte machine: where the reads are cut makes no difference, except where time decides
 * (lone ESC, CR in unbracketed text). Answers of the terminal are events of their own and never text; nothing throws.
 */
export function createTokenizer(options: TokenizerOptions): Tokenizer {
  const { timers, now } = options;
  let escapeDelay = options.escapeDelayMs;
  let state: State = 'ground';
  /** Parameters of a sequence, or content of a string. */
  let held = '';
  let isOversize = false;
  /** A second ESC stood before the sequence: rxvt's Alt where a key follows, else the Escape key right before something the terminal said. */
  let isAlt = false;
  /** The sequence's ESC was delivered as Escape already. */
  let isLate = false;
  /** Until when a tail counts as late; 0 = none. */
  let lateUntil = 0;
  let stringKind: ReplyEvent['kind'] = 'osc';
  let stringUntil = 0;
  let skip = 0;
  let altBytes: number[] = [];
  let altNeeded = 0;
  /** CRs that may be Enter or pasted line breaks. */
  let returns = 0;
  let paste: PasteReader | undefined;
  let timer: unknown;
  /** Decodes typed text; a character may be split across reads. */
  let decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let isDecoding = false;

  /** Pasted lines that came without markers: one event, not thousands. */
  let burst = '';
  /** The read that is looked at is too long to have been typed, or goes on with such a one. */
  let isPasted = false;
  const endBurst = () => {
    if (burst === '') return;
    const pasted = burst;
    burst = '';
    options.emit({ type: 'paste', text: pasted });
  };
  const emit = (event: InputEvent) => {
    if (burst !== '' && event.type === 'text') burst += event.text;
    else {
      endBurst();
      options.emit(event);
    }
  };

  const text = (decoded: string) => {
    // C1 controls can come in as well-formed UTF-8.
    const clean = decoded.replace(/[\u0080-\u009f]/gu, '');
    if (clean === '') return;
    if (isPasted) burst += clean;
    else emit({ type: 'text', text: clean });
  };

  const endText = () => {
    if (!isDecoding) return;
    isDecoding = false;
    text(decoder.decode());
    decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  };

  const ground = () => {
    state = 'ground';
    held = '';
    isAlt = isLate = isOversize = false;
  };

  /** What follows is no key: the ESC before it was one. */
  const escapeWasTyped = () => {
    if (isAlt) emit(keyEvent('escape'));
    isAlt = false;
  };

  const returnsAreEnter = () => {
    for (; returns > 0; returns--) emit(keyEvent('enter'));
  };

  const returnsAreLines = () => {
    if (returns === 0) return;
    burst += '\n'.repeat(returns);
    returns = 0;
  };

  /** No text came behind them: Enter, but the last line break of pasted lines is none. */
  const settleReturns = () => (burst.includes('\n') ? returnsAreLines() : returnsAreEnter());

  const beginString = (kind: ReplyEvent['kind']) => {
    state = 'string';
    stringKind = kind;
    held = '';
    stringUntil = now() + stringDeadlineMs;
  };

  const endString = () => {
    if (!isOversize && !isLate) emit({ type: 'reply', kind: stringKind, data: introducer(stringKind) + held });
    ground();
  };

  const beginPaste = () => {
    escapeWasTyped();
    ground();
    state = 'paste';
    paste = createPasteReader();
  };

  const endPaste = () => {
    const whole = paste?.end() ?? '';
    paste = undefined;
    ground();
    emit({ type: 'paste', text: whole });
  };

  const finishCsi = (final: string) => {
    const params = held;
    const alt = isAlt;
    const late = isLate;
    const oversize = isOversize;
    if (final === '~' && params === '200' && !oversize) return beginPaste();
    if (final === 'M' && params === '') {
      // X10 mouse: three bytes follow. It is never asked for; a terminal that knows no SGR form sends it.
      escapeWasTyped();
      state = 'x10';
      skip = 3;
      return;
    }
    if (final === '[' && params === '') {
      state = 'linux';
      return;
    }
    const event = late || oversize ? undefined : csiEvent(params, final, alt);
    if (event === undefined || event.type !== 'key') escapeWasTyped();
    ground();
    if (event !== undefined) emit(event);
  };

  /** A tail that can't be one after all was typed. */
  const release = (introduced: string) => {
    const typed = isLate ? introduced + held : '';
    escapeWasTyped();
    ground();
    if (typed !== '') emit({ type: 'text', text: typed });
  };

  /** Returns false where the byte does not belong to the sequence and must be looked at anew. */
  const inCsi = (byte: number): boolean => {
    if (byte < 0x20 || byte >= 0x7f) {
      release('[');
      return false;
    }
    const char = String.fromCharCode(byte);
    if (byte >= 0x40) {
      finishCsi(char);
      return true;
    }
    if (char === '$' && isRxvtNumber(held)) {
      finishCsi(char);
      return true;
    }
    if (held.length < longestParams) held += char;
    else isOversize = true;
    return true;
  };

  const inSs3 = (byte: number): boolean => {
    const char = String.fromCharCode(byte);
    if (/[\d;]/u.test(char) && held.length < 8) {
      held += char;
      return true;
    }
    const isFinal = isLate ? /[A-DFHMP-Sa-d]/u.test(char) : byte >= 0x40 && byte < 0x7f;
    if (!isFinal) {
      release('O');
      return false;
    }
    const [params, alt, late] = [held, isAlt, isLate];
    ground();
    const event = late ? undefined : ss3Key(params, char, alt);
    if (event !== undefined) emit(event);
    else if (alt) emit(keyEvent('escape'));
    return true;
  };

  const inString = (byte: number): boolean => {
    // Only a terminal begins an OSC with a digit; Alt+] and a letter is somebody typing.
    if (stringKind === 'osc' && held === '' && !isOversize && !(byte >= 0x30 && byte <= 0x39)) {
      release(']');
      return false;
    }
    if (byte === 0x07) endString();
    else if (byte === ESC) state = 'string-escape';
    else if (byte === 0x18 || byte === 0x1a) ground();
    else if (held.length < longestString) held += String.fromCharCode(byte);
    else isOversize = true;
    return true;
  };

  const inEscape = (byte: number): boolean => {
    if (byte === ESC) {
      if (isAlt) emit(keyEvent('escape'));
      isAlt = true;
      return true;
    }
    if (byte === 0x5b || byte === 0x4f) {
      state = byte === 0x5b ? 'csi' : 'ss3';
      held = '';
      return true;
    }
    // ESC ESC and no sequence.
    escapeWasTyped();
    const kind = stringKinds[byte];
    if (kind !== undefined) beginString(kind);
    else if (byte === 0x5c) ground();
    else if (byte < 0x20 || byte === 0x7f) {
      ground();
      emit(controlKey(byte, true));
    } else if (byte < 0x80) {
      ground();
      emit(altCharacter(String.fromCharCode(byte)));
    } else {
      altNeeded = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      altBytes = [byte];
      state = byte >= 0xc2 && byte <= 0xf4 ? 'alt-char' : 'ground';
    }
    return true;
  };

  const inAltCharacter = (byte: number): boolean => {
    if ((byte & 0xc0) !== 0x80) {
      ground();
      return false;
    }
    altBytes.push(byte);
    if (altBytes.length < altNeeded) return true;
    const char = new TextDecoder('utf-8').decode(Uint8Array.from(altBytes));
    ground();
    if ([...char].length === 1 && !/[\ufffd\p{C}]/u.test(char)) emit(altCharacter(char));
    return true;
  };

  /** A byte below 0x20 or 0x7f, outside of any sequence. */
  const control = (byte: number) => {
    endText();
    if (byte === 0x0d) {
      returns += 1;
      return;
    }
    if (byte === 0x0a && returns > 0) return returnsAreLines();
    settleReturns();
    if (isPasted && (byte === 0x09 || byte === 0x0a)) {
      burst += byte === 0x09 ? '\t' : '\n';
      return;
    }
    if (byte === ESC) state = 'escape';
    else emit(controlKey(byte, false));
  };

  const isTailStart = (byte: number): boolean => byte === 0x5b || byte === 0x4f || byte === 0x5d;

  const oneByte = (byte: number): boolean => {
    switch (state) {
      case 'escape':
        return inEscape(byte);
      case 'csi':
        return inCsi(byte);
      case 'ss3':
        return inSs3(byte);
      case 'linux': {
        const [alt, late] = [isAlt, isLate];
        ground();
        const event = late ? undefined : linuxFunctionKey(String.fromCharCode(byte), alt);
        if (event !== undefined) emit(event);
        else if (alt) emit(keyEvent('escape'));
        return true;
      }
      case 'x10':
        skip -= 1;
        if (skip === 0) ground();
        return true;
      case 'alt-char':
        return inAltCharacter(byte);
      case 'string':
        return inString(byte);
      case 'string-escape':
        if (byte === 0x5c) {
          endString();
          return true;
        }
        // The string was cut off by another sequence.
        ground();
        state = 'escape';
        return false;
      default:
        return true;
    }
  };

  const feed = (bytes: Uint8Array) => {
    timers.clear(timer);
    let at = 0;
    isPasted = burst === '' ? bytes.length >= pastedBytes && state === 'ground' && paste === undefined && !bytes.includes(ESC) : isPasted;
    if ((state === 'string' || state === 'string-escape') && now() > stringUntil) ground();
    while (at < bytes.length) {
      if (paste !== undefined) {
        const rest = paste.feed(at === 0 ? bytes : bytes.subarray(at));
        if (rest === undefined) {
          if (paste.length() < longestPaste) break;
          endPaste();
          beginPaste();
          break;
        }
        at = bytes.length - rest;
        endPaste();
        continue;
      }
      const byte = bytes[at] as number;
      if (state !== 'ground') {
        if (oneByte(byte)) at += 1;
        continue;
      }
      if (lateUntil !== 0) {
        const isTail = isTailStart(byte) && now() < lateUntil;
        lateUntil = 0;
        if (isTail) {
          if (byte === 0x5d) beginString('osc');
          else state = byte === 0x5b ? 'csi' : 'ss3';
          isLate = true;
          at += 1;
          continue;
        }
      }
      if (byte < 0x20 || byte === 0x7f) {
        control(byte);
        at += 1;
        continue;
      }
      let end = at + 1;
      while (end < bytes.length && (bytes[end] as number) >= 0x20 && bytes[end] !== 0x7f) end += 1;
      returnsAreLines();
      isDecoding = true;
      text(decoder.decode(bytes.subarray(at, end), { stream: true }));
      at = end;
    }
    wait();
  };

  /** What happens if nothing more comes. */
  const wait = () => {
    const after = (ms: number, run: () => void) => {
      timer = timers.set(run, ms);
    };
    /** A timer that was due while the program was busy runs before what has come in meanwhile is read: one more turn of the loop reads it. */
    const afterReading = (ms: number, run: () => void) => after(ms, () => after(0, run));
    if (paste !== undefined) after(pasteSilenceMs, endPaste);
    else if (burst !== '' && state === 'ground') {
      afterReading(isPasted ? pastedSilenceMs : pastedReturnMs, () => {
        endText();
        settleReturns();
        endBurst();
      });
    } else if (state === 'escape') afterReading(escapeDelay, flushEscape);
    else if (state === 'string' || state === 'string-escape') after(Math.max(0, stringUntil - now()), dropUnfinished);
    else if (state !== 'ground') after(unfinishedMs, dropUnfinished);
    else if (returns > 0) afterReading(pastedReturnMs, returnsAreEnter);
  };

  const flushEscape = () => {
    emit(keyEvent('escape'));
    if (isAlt) emit(keyEvent('escape'));
    ground();
    lateUntil = now() + lateTailMs;
  };

  /** A single `[`, `O` or `]` soon after Esc was typed by hand; anything longer came from the terminal. */
  const dropUnfinished = () => {
    const introduced = state === 'csi' ? '[' : state === 'ss3' ? 'O' : state === 'string' ? ']' : '';
    escapeWasTyped();
    if (held === '') release(introduced);
    else ground();
  };

  return {
    feed,
    setEscapeDelay: (ms) => {
      escapeDelay = ms;
    },
    end() {
      timers.clear(timer);
      if (paste !== undefined) endPaste();
      else if (state === 'escape') flushEscape();
      endText();
      settleReturns();
      endBurst();
      ground();
    },
  };
}

/** What a whole CSI sequence says; undefined where nothing. */
function csiEvent(params: string, final: string, isAlt: boolean): InputEvent | undefined {
  const first = params[0];
  if (first === '<' && (final === 'M' || final === 'm')) return sgrMouse(params.slice(1), final === 'm');
  const isPrivate = first !== undefined && '<=>?'.includes(first);
  const hasIntermediate = /[ -/]/u.test(params);
  if (isPrivate || hasIntermediate) return { type: 'reply', kind: 'csi', data: `[${params}${final}` };
  if (params === '' && (final === 'I' || final === 'O')) return { type: 'focus', focused: final === 'I' };
  // CSI 1;5R is Ctrl+F3; a cursor report for row 1 looks the same, so nobody here asks for one in row 1.
  if (final === 'R' && /^\d+;\d+$/u.test(params) && !/^1;([2-9]|1[0-6])$/u.test(params)) {
    return { type: 'reply', kind: 'cpr', data: `[${params}R` };
  }
  if ('cntxy'.includes(final)) return { type: 'reply', kind: 'csi', data: `[${params}${final}` };
  return csiKey(params, final, isAlt);
}

const introducer = (kind: ReplyEvent['kind']): string =>
  kind === 'osc' ? ']' : kind === 'dcs' ? 'P' : kind === 'apc' ? '_' : kind === 'pm' ? '^' : 'X';
