/** Prints figures as a table of fixed columns; a figure over its limit is marked `over`, one within its aim `✓`. */
export function printTable(figures, write = (text) => process.stdout.write(text)) {
  const number = (value, unit) => (unit === 'x' ? `${value.toFixed(2)} x` : `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ${unit}`);
  const rows = figures.map((figure) => [
    figure.what,
    figure.value,
    number(figure.score, figure.unit),
    figure.must === undefined ? '' : `≤ ${number(figure.must, figure.unit)}`,
    figure.aim === undefined ? '' : `≤ ${number(figure.aim, figure.unit)}`,
    judge(figure),
  ]);
  const titles = ['what', 'measured', 'compared', 'must', 'aim', ''];
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    cells
      .map((cell, column) => (column === 0 || column === 5 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd();
  write(`${line(titles)}\n${widths.map((width) => '─'.repeat(width)).join('  ')}\n${rows.map((row) => `${line(row)}\n`).join('')}`);
}

function judge({ score, must, aim }) {
  if (must === undefined) return '';
  if (score > must) return 'over';
  return aim === undefined || score <= aim ? '✓' : 'ok';
}
