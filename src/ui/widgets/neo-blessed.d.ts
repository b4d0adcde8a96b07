/** The few parts of neo-blessed that are used as a shell: a screen with its cell buffer, and an element that fills it. */

interface BlessedStreamIn extends NodeJS.EventEmitter {
  /** Anything but 0 keeps neo-blessed's own key parser away. */
  _blessedInput: number;
}

interface BlessedStreamOut extends NodeJS.EventEmitter {
  _blessedOutput: number;
  columns: number;
  rows: number;
  write(data: string): boolean;
}

declare module 'neo-blessed/lib/program.js' {
  class Program {
    constructor(options: { input: BlessedStreamIn; output: BlessedStreamOut; terminal: string; tput: boolean });
    cols: number;
    rows: number;
    tput: object;
    put: object;
    _tputSetup: boolean;
    destroy(): void;
    static _exitHandler?: () => void;
  }
  export default Program;
}

declare module 'neo-blessed/lib/widgets/screen.js' {
  import type Program from 'neo-blessed/lib/program.js';
  type BlessedRow = Array<[attr: number, text: string]> & { dirty: boolean };
  type Handler = (...args: unknown[]) => void;
  class Screen {
    constructor(options: { program: Program; fullUnicode: boolean });
    /** What should be on the screen, and what is. */
    lines: BlessedRow[];
    olines: BlessedRow[];
    alloc(): void;
    render(): void;
    draw(start: number, end: number): void;
    destroy(): void;
    static _exceptionHandler?: Handler;
    static _sigtermHandler?: Handler;
    static _sigintHandler?: Handler;
    static _sigquitHandler?: Handler;
    static _exitHandler?: Handler;
  }
  export default Screen;
}

declare module 'neo-blessed/lib/widgets/element.js' {
  import type Screen from 'neo-blessed/lib/widgets/screen.js';
  class Element {
    constructor(options: { parent: Screen; top: number; left: number; width: string; height: string });
    render(): void;
  }
  export default Element;
}
