import { copyText } from '../../terminal/clipboard.ts';
import { appText } from '../../text/en/app.ts';
import type { Context } from './context.ts';

/** Copies a text by the best way there is; which one is said when `isSaid`, a failure always. @returns whether it was copied */
export async function copy(context: Context, text: string, isSaid: boolean): Promise<boolean> {
  const result = await copyText(text, { write: (sequence) => context.stage.tty.write(sequence), env: context.run.env });
  if (!result.ok) context.flash(appText.copyTooLong, true);
  else if (isSaid) context.flash(appText.copied[result.way ?? 'system']);
  return result.ok;
}
