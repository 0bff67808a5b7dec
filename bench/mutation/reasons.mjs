/** How a mutant is written down, and which of those that survive have a reason in `survivors.md`. */
import { readFileSync } from 'node:fs';

const WIDTH = 60;

/**
 * The line of the change with both texts, the old and the new: `if (⟦a > b ⇒ true⟧) return;`. It does not name the number of the
 * line, which other changes move.
 * @param {readonly string[]} lines
 * @param {{ start: { line: number, column: number }, end: { line: number, column: number } }} place
 * @param {string} replacement
 */
export function describeMutant(lines, { start, end }, replacement) {
  const [first = '', last = ''] = [lines[start.line], lines[end.line]];
  const before =
    start.line === end.line
      ? first.slice(start.column, end.column)
      : [first.slice(start.column), ...lines.slice(start.line + 1, end.line), last.slice(0, end.column)].join(' ');
  return `${first.slice(0, start.column).trimStart()}⟦${shorten(before)} ⇒ ${shorten(replacement)}⟧${last.slice(end.column)}`.replaceAll(
    '`',
    "'",
  );
}

/** @param {string} text */
function shorten(text) {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > WIDTH ? `${flat.slice(0, WIDTH / 2)}…${flat.slice(-WIDTH / 2)}` : flat;
}

/**
 * The mutants that `survivors.md` lists as "- `path`: `change`", by their path and change.
 * @returns {Set<string>}
 */
export function readReasons() {
  const text = readFileSync(new URL('survivors.md', import.meta.url), 'utf8');
  return new Set([...text.matchAll(/^- `([^`]+)`: `([^`]+)`$/gm)].map(([, path, change]) => `${path} ${change}`));
}
