/** Text as a fenced block of Markdown that nothing inside can end: the fence is longer than any run of backticks. */
export function fenced(text: string, language = ''): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** Markdown of somebody's, ended so that what follows stands outside of it: a fence left open is closed. */
export function closed(text: string): string {
  let open: string | undefined;
  for (const line of text.split(/\r\n?|\n/)) {
    const found = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    const fence = found?.[1];
    if (fence === undefined) continue;
    const rest = found?.[2] ?? '';
    if (open === undefined) {
      // A line of backticks with more of them behind it is a code span.
      if (!(fence.startsWith('`') && rest.includes('`'))) open = fence;
    } else if (fence.startsWith(open) && rest.trim() === '') open = undefined;
  }
  return open === undefined ? text : `${text}\n${open}`;
}
