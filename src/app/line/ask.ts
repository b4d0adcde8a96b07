import type { Question } from '../../ui/screens/dialog/index.ts';
import { lineText } from '../../text/en/line.ts';
import type { Reply } from './context.ts';

/** A question as lines: title, text, what would be written, numbered answers. */
export function questionLines(question: Question): string[] {
  const first = question.choices.findIndex((choice) => choice.id === (question.first ?? question.safe));
  return [
    `${question.title}. ${question.text.join(' ')}`,
    ...(question.code ?? []).map((line) => `  ${line}`),
    ...question.choices.map((choice, index) => `  ${index + 1}. ${choice.label}`),
    ...(question.choices.length === 0 || question.field !== undefined
      ? []
      : [lineText.answer(question.choices.length, first < 0 ? undefined : String(first + 1))]),
  ];
}

/** The answer a typed line gives: a number, the letter or the label; an empty line the first choice; undefined: none of them. */
export function readAnswer<Id extends string>(question: Question<Id>, line: string): Id | undefined {
  const typed = line.trim().toLowerCase();
  if (typed === '') return question.first ?? question.safe;
  const numbered = /^\d+$/.test(typed) ? question.choices[Number(typed) - 1] : undefined;
  if (numbered !== undefined) return numbered.id;
  return question.choices.find((choice) => choice.letter === typed || choice.id === typed || choice.label.toLowerCase() === typed)?.id;
}

/** The question that is open, if any: the next line typed is its answer. */
export interface Asking {
  isOpen(): boolean;
  ask<Id extends string>(question: Question<Id>): Promise<Reply<Id>>;
  reply(text: string): void;
  putAway(): void;
}

export function createAsking(): Asking {
  let open: { question: Question; answer: (reply: Reply<string>) => void } | undefined;

  function close(reply: Reply<string>): void {
    const answered = open;
    open = undefined;
    answered?.answer(reply);
  }

  return {
    isOpen: () => open !== undefined,
    ask: (question) =>
      new Promise((resolve) => {
        open = { question, answer: resolve as (reply: Reply<string>) => void };
      }),
    reply(text) {
      const id = open === undefined ? undefined : readAnswer(open.question, text);
      close(id === undefined ? { text } : { id });
    },
    putAway: () => close(undefined),
  };
}
