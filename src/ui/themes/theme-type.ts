/** `#rrggbb`, or a number of the terminal's 16 colours. */
export type Colour = string | number;

/** How one word of a style looks; what is absent stays as the terminal has it. */
export interface Paint {
  readonly fg?: Colour;
  readonly bg?: Colour;
  readonly bold?: boolean;
  /** False takes away what an earlier word of the style gave: dim text on a ground of the 16 colours can't be read. */
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

/** Words for what a text is, not how it looks. */
export type ThemeWord =
  'text' | 'soft' | 'faint' | 'accent' | 'agent' | 'error' | 'link' | 'code' | 'keyword' | 'code-text' | 'rule' | 'on-select' | 'on-code';

export interface Theme {
  readonly name: 'dark' | 'light' | 'dark-16' | 'light-16' | 'none';
  readonly words: Readonly<Record<ThemeWord, Paint>>;
  /** Colours named in a style (`#rrggbb`, from highlighting) are used; without them code keeps the colour of text. */
  readonly hasTrueColours: boolean;
}
