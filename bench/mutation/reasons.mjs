/**
 * How a mutant is written down, and which of those that survive have a reason in `survivors.md`: it names single changes, or classes of
 * them. The beginning of that file describes how.
 */
import { readFileSync } from 'node:fs';

const WIDTH = 60;

/** What changes can be of: Stryker's names, and `ErrorText` for the wording of an error. */
const KINDS = new Set([
  'ArithmeticOperator',
  'ArrayDeclaration',
  'ArrowFunction',
  'AssignmentOperator',
  'BlockStatement',
  'BooleanLiteral',
  'ConditionalExpression',
  'EqualityOperator',
  'ErrorText',
  'LogicalOperator',
  'MethodExpression',
  'ObjectLiteral',
  'OptionalChaining',
  'Regex',
  'StringLiteral',
  'UnaryOperator',
  'UpdateOperator',
]);

/**
 * Of a class, `change` is undefined; what is given of the others must be the same.
 * @typedef {{ text: string, path: string, change?: string | undefined, name?: string | undefined, kind?: string | undefined, source?: string | undefined }} Reason
 * @typedef {{ path: string, change: string, kind: string, within: readonly string[], source: string }} Described
 */

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
  const change = `⟦${shorten(before)} ⇒ ${shorten(replacement)}⟧`;
  return withoutBackticks(`${first.slice(0, start.column).trimStart()}${change}${last.slice(end.column)}`);
}

/** The line in which a change begins, as a class names it. @param {string | undefined} line */
export function describeLine(line = '') {
  return withoutBackticks(line.trim());
}

/** @param {string} text */
function withoutBackticks(text) {
  return text.replaceAll('`', "'");
}

/** @param {string} text */
function shorten(text) {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > WIDTH ? `${flat.slice(0, WIDTH / 2)}…${flat.slice(-WIDTH / 2)}` : flat;
}

/** The reasons of `survivors.md`. */
export function readReasons() {
  return parseReasons(readFileSync(new URL('survivors.md', import.meta.url), 'utf8'));
}

/**
 * @param {string} text
 * @returns {Reason[]}
 */
export function parseReasons(text) {
  return text
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => {
      const found = /^- `([^`]+)`(?: `([^`]+)`)?: (?:`([^`]+)`|(all changes)|all `(\w+)`|all of `([^`]+)`)$/.exec(line);
      const [, path = '', name, change, all, kind, source] = found ?? [];
      const isWhole = change !== undefined || source !== undefined;
      if (!found || (isWhole && name !== undefined) || (all && name === undefined))
        throw new Error(`This names no change, and no class of changes: ${line}`);
      if (kind !== undefined && !KINDS.has(kind))
        throw new Error(`There are no changes of the kind ${kind}, only ${[...KINDS].join(', ')}: ${line}`);
      return { text: line.slice(2), path, name, change, kind, source };
    });
}

/**
 * @param {Reason} reason
 * @param {Described} mutant
 */
export function covers({ path, name, change, kind, source }, mutant) {
  return (
    path === mutant.path &&
    (change === undefined || change === mutant.change) &&
    (name === undefined || mutant.within.includes(name)) &&
    (kind === undefined || kind === mutant.kind) &&
    (source === undefined || source === mutant.source)
  );
}

/**
 * Which survivors have a reason, and what the reasons cover. A reason is looked at only if its file was measured.
 * @template {Described} Mutant
 * @param {readonly Reason[]} reasons
 * @param {readonly Mutant[]} mutants
 * @param {(mutant: Mutant) => boolean} isLeft
 */
export function applyReasons(reasons, mutants, isLeft) {
  const paths = new Set(mutants.map(({ path }) => path));
  /** @type {Set<Mutant>} */
  const explained = new Set();
  /** @type {{ reason: Reason, left: number, of: number }[]} */
  const classes = [];
  /** @type {Reason[]} */
  const stale = [];
  for (const reason of reasons) {
    if (!paths.has(reason.path)) continue;
    const own = mutants.filter((mutant) => covers(reason, mutant));
    const left = own.filter(isLeft);
    for (const mutant of left) explained.add(mutant);
    if (left.length === 0) stale.push(reason);
    else if (reason.change === undefined) classes.push({ reason, left: left.length, of: own.length });
  }
  return { explained, classes, stale };
}
