/** A piece of an answer, sorted into what is said and what is only thought. */
export interface SortedDelta {
  type: 'text' | 'reasoning';
  delta: string;
}

const OPEN = '<think>';
const CLOSE = '</think>';

/**
 * Local servers often pass on a model's thinking as `<think>…</think>` at the very beginning of the text instead of as reasoning.
 * Only there it counts: an answer that talks about the tag keeps it.
 */
export function createThinkSplitter(): { push(delta: string): SortedDelta[]; end(): SortedDelta[] } {
  let state: 'start' | 'thinking' | 'after' | 'text' = 'start';
  let held = '';

  function step(): SortedDelta[] {
    if (state === 'start') {
      const seen = held.trimStart();
      if (OPEN.startsWith(seen) && seen !== OPEN) return []; // may still become the tag
      if (!seen.startsWith(OPEN)) {
        state = 'text';
        return step();
      }
      state = 'thinking';
      held = seen.slice(OPEN.length).replace(/^\n/, '');
      return step();
    }
    if (state === 'thinking') {
      const at = held.indexOf(CLOSE);
      if (at >= 0) {
        const thought = held.slice(0, at);
        held = held.slice(at + CLOSE.length);
        state = 'after';
        return [...(thought === '' ? [] : [{ type: 'reasoning' as const, delta: thought }]), ...step()];
      }
      const keep = tailThatMayGrow(held, CLOSE);
      const thought = held.slice(0, held.length - keep);
      held = held.slice(held.length - keep);
      return thought === '' ? [] : [{ type: 'reasoning', delta: thought }];
    }
    if (state === 'after') {
      held = held.trimStart(); // the blank lines between thought and answer, which may come in several deltas
      if (held === '') return [];
      state = 'text';
    }
    const text = held;
    held = '';
    return text === '' ? [] : [{ type: 'text', delta: text }];
  }

  return {
    push(delta) {
      if (state === 'text' && held === '') return delta === '' ? [] : [{ type: 'text', delta }];
      held += delta;
      return step();
    },
    end() {
      const rest = held;
      held = '';
      if (rest === '') return [];
      return [{ type: state === 'thinking' ? 'reasoning' : 'text', delta: rest }];
    },
  };
}

/** Length of the longest end of `text` that is a beginning of `tag`. */
function tailThatMayGrow(text: string, tag: string): number {
  for (let size = Math.min(tag.length - 1, text.length); size > 0; size--) {
    if (tag.startsWith(text.slice(-size))) return size;
  }
  return 0;
}
