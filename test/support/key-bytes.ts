/**
 * Key names as in `src/commands/table.ts` (`ctrl+x`, `shift+tab`, `alt+ㅊ`, `pageup`) turned into what a terminal sends. Written from the
 * terminals' side, apart from the tokenizer, so that the two check each other.
 */
export type KeyProtocol = 'legacy' | 'application' | 'kitty' | 'modifyOtherKeys';

const letters: Readonly<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  end: 'F',
  home: 'H',
  f1: 'P',
  f2: 'Q',
  f3: 'R',
  f4: 'S',
};
const tildes: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageup: 5,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};
const controls: Readonly<Record<string, string>> = { enter: '\r', escape: '\x1b', tab: '\t', backspace: '\x7f', space: ' ' };

interface Parsed {
  readonly shift: boolean;
  readonly alt: boolean;
  readonly ctrl: boolean;
  readonly name: string;
}

function parse(key: string): Parsed {
  let rest = key;
  const has = { shift: false, alt: false, ctrl: false };
  for (;;) {
    const found = /^(shift|alt|ctrl)\+(.+)$/su.exec(rest);
    if (found === null) return { ...has, name: rest };
    has[found[1] as keyof typeof has] = true;
    rest = found[2] as string;
  }
}

const modifier = (key: Parsed) => 1 + (key.shift ? 1 : 0) + (key.alt ? 2 : 0) + (key.ctrl ? 4 : 0);

/** The bytes of one key; a single printable character is sent as itself. Throws where the protocol has no such key. */
export function keyBytes(key: string, protocol: KeyProtocol = 'legacy'): string {
  const parsed = parse(key);
  const { name } = parsed;
  const mod = modifier(parsed);
  const letter = letters[name];
  if (letter !== undefined) {
    const isFunction = 'PQRS'.includes(letter);
    if (mod > 1) return name === 'f3' && protocol === 'kitty' ? `\x1b[13;${mod}~` : `\x1b[1;${mod}${letter}`;
    if (protocol === 'kitty') return name === 'f3' ? '\x1b[13~' : `\x1b[${letter}`;
    return isFunction || protocol === 'application' ? `\x1bO${letter}` : `\x1b[${letter}`;
  }
  const tilde = tildes[name];
  if (tilde !== undefined) return mod > 1 ? `\x1b[${tilde};${mod}~` : `\x1b[${tilde}~`;
  const code = (controls[name] ?? name).codePointAt(0) as number;
  if (protocol === 'kitty') {
    if (mod === 1 && controls[name] === undefined) return name;
    if (mod === 1 && name !== 'escape') return controls[name] as string;
    return mod > 1 ? `\x1b[${code};${mod}u` : `\x1b[${code}u`;
  }
  if (name === 'tab' && parsed.shift && !parsed.alt && !parsed.ctrl) return '\x1b[Z';
  if (protocol === 'modifyOtherKeys' && mod > 1 && (parsed.shift ? controls[name] !== undefined : 'enter tab'.includes(name)))
    return `\x1b[27;${mod};${code}~`;
  if (parsed.shift && controls[name] !== undefined) throw new Error(`a ${protocol} terminal has no bytes for ${key}`);
  let bytes = controls[name] ?? name;
  if (parsed.ctrl) {
    if (name === 'backspace') bytes = '\b';
    else if (name === 'space') bytes = '\0';
    else if (/^[a-z@[\\\]^_]$/u.test(name)) bytes = String.fromCharCode(name.toUpperCase().charCodeAt(0) & 0x1f);
    else if (name === '/') bytes = '\x1f';
    else throw new Error(`a ${protocol} terminal has no bytes for ${key}`);
  }
  return parsed.alt ? `\x1b${bytes}` : bytes;
}
