/**
 * @typedef {object} Row
 * @property {string} name
 * @property {number} floor milliseconds
 * @property {number} time milliseconds
 * @property {number} ratio
 * @property {number} spread
 * @property {import('./budget.mjs').Verdict | undefined} verdict
 */

/**
 * Rows as a Markdown table, so that it can be read on screen and copied into the documentation.
 * @param {string} title of the measured side
 * @param {readonly Row[]} rows
 */
export function table(title, rows) {
  const judged = rows.some(({ verdict }) => verdict !== undefined);
  const head = ['', 'floor ms', `${title} ms`, 'ratio', 'spread', ...(judged ? ['budget', 'ok'] : [])];
  const lines = rows.map(({ name, floor, time, ratio, spread, verdict }) => [
    name,
    floor.toFixed(1),
    time.toFixed(1),
    ratio.toFixed(2),
    `±${(spread * 100).toFixed(0)} %`,
    ...(judged ? [verdict?.budget.toFixed(1) ?? '', verdict === undefined ? '' : verdict.ok ? 'yes' : 'NO'] : []),
  ]);
  return cells(head, lines);
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} lines
 * @param {number} [left] how many columns are words, and stand to the left
 */
export function cells(head, lines, left = 1) {
  const widths = head.map((cell, column) => Math.max(cell.length, ...lines.map((line) => line[column]?.length ?? 0)));
  const padded = (/** @type {string} */ cell, /** @type {number} */ column) =>
    column < left ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  const show = (/** @type {readonly string[]} */ line) => `| ${line.map(padded).join(' | ')} |`;
  const rule = widths.map((width, column) => (column < left ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`));
  return [show(head), `|${rule.join('|')}|`, ...lines.map(show)].join('\n');
}
