/** The argument that says most about a call, on one line: the command, path, query or address, else the first text, else the JSON. */
export function summarizeArguments(json: string): string {
  const oneLine = (text: string) => text.slice(0, 2000).replace(/\s+/gu, ' ').trim();
  let parsed: unknown;
  try {
    parsed = json.length > 100_000 ? undefined : JSON.parse(json);
  } catch {
    // Arguments are text of the model's; half a call is no JSON and shows as it is.
    return oneLine(json);
  }
  if (parsed === null || typeof parsed !== 'object') return oneLine(json);
  const values = parsed as Record<string, unknown>;
  const known = ['command', 'cmd', 'path', 'file_path', 'query', 'pattern', 'url'].map((name) => values[name]);
  const first = [...known, ...Object.values(values)].find((value) => typeof value === 'string' && value !== '');
  return typeof first === 'string' ? oneLine(first) : Object.keys(values).length === 0 ? '' : oneLine(json);
}
