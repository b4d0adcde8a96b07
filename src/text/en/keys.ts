/** Sentences about faulty lines of `tui.keys`. The kinds are those of `KeyProblem` in `ui/keymap.ts`. */
export const keyProblemText = {
  'unknown-command': (p: { id: string }) => `tui.keys: there is no command ${p.id}; F1 lists them all`,
  'bad-key': (p: { id: string; key: string }) => `tui.keys: ${p.id}: '${p.key}' is no key; write it like ctrl+r, alt+c, f2 or shift+tab`,
  'sequence-start': (p: { id: string; key: string }) =>
    `tui.keys: ${p.id}: ${p.key} can't be bound, terminals send it as the start of a sequence`,
  'dangerous-alt': (p: { id: string; key: string }) => `tui.keys: ${p.id}: nothing that closes or deletes may hang on Alt (${p.key})`,
  clash: (p: { id: string; other: string; key: string; scope: string }) =>
    `tui.keys: ${p.key} would mean both ${p.id} and ${p.other} (${p.scope}); ${p.id} keeps its own key`,
} as const;
