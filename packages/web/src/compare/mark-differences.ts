import { type RefObject, useEffect } from 'react';
import { shortestEdit } from '../inspector/word-diff.ts';

/** The names of the highlights; index.css draws them. */
const ADDED = 'skein-added';
const MISSING = 'skein-missing';

const WORDS = /[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu;

/** The most edits to search for. Texts with more have so little in common that marks would help nobody. */
const MOST_EDITS = 1200;

interface Word {
  readonly text: string;
  readonly node: Text;
  readonly start: number;
}

/**
 * Marks in rendered texts the words that differ, without changing them: in every column the words that the first one does not
 * have, and in the first one those that none of the others has. Cells with the same `data-row` are compared; the first column
 * is the one whose cells have `data-column="0"`. `onCount` gets the number of words that differ, by row and column.
 */
export function useMarkedDifferences(
  root: RefObject<HTMLElement | null>,
  isOn: boolean,
  onCount: (counts: ReadonlyMap<string, number>) => void,
): void {
  useEffect(() => {
    const element = root.current;
    if (!element || !isOn || CSS.highlights === undefined) return onCount(new Map());
    let frame = 0;
    const mark = () => {
      frame = 0;
      onCount(markDifferences(element));
    };
    // Markdown, code and formulas are drawn when their parts have been loaded, and answers grow.
    const observer = new MutationObserver(() => {
      frame ||= requestAnimationFrame(mark);
    });
    observer.observe(element, { subtree: true, childList: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(ADDED);
      CSS.highlights.delete(MISSING);
    };
  }, [root, isOn, onCount]);
}

function markDifferences(root: HTMLElement): ReadonlyMap<string, number> {
  const added: Range[] = [];
  const missing: Range[] = [];
  const counts = new Map<string, number>();
  for (const [row, cells] of cellsByRow(root)) {
    const [first, ...others] = cells;
    if (first === undefined || first.column !== 0) continue;
    const before = readWords(first.element);
    const missed = others.map(({ element, column }) => {
      const after = readWords(element);
      const changes = compareWords(before, after);
      added.push(...toRanges(after, changes?.added ?? NONE));
      counts.set(`${row} ${column}`, changes ? changes.added.size + changes.removed.size : Number.POSITIVE_INFINITY);
      return changes?.removed ?? NONE;
    });
    const inNone = [...(missed[0] ?? [])].filter((index) => missed.every((removed) => removed.has(index)));
    missing.push(...toRanges(before, new Set(inNone)));
  }
  CSS.highlights.set(ADDED, new Highlight(...added));
  CSS.highlights.set(MISSING, new Highlight(...missing));
  return counts;
}

interface Cell {
  readonly column: number;
  readonly element: HTMLElement;
}

function cellsByRow(root: HTMLElement): ReadonlyMap<string, readonly Cell[]> {
  const rows = new Map<string, Cell[]>();
  for (const element of root.querySelectorAll<HTMLElement>('[data-row]')) {
    const { row = '', column = '' } = element.dataset;
    rows.set(row, [...(rows.get(row) ?? []), { column: Number(column), element }]);
  }
  return rows;
}

function readWords(element: HTMLElement): readonly Word[] {
  const words: Word[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null)
    for (const { 0: text, index } of node.data.matchAll(WORDS)) words.push({ text, node, start: index });
  return words;
}

const NONE: ReadonlySet<number> = new Set();

/** The places of the words that only one of the two texts has; undefined if they have too little in common. */
function compareWords(
  before: readonly Pick<Word, 'text'>[],
  after: readonly Pick<Word, 'text'>[],
): { readonly removed: ReadonlySet<number>; readonly added: ReadonlySet<number> } | undefined {
  const texts = (words: readonly Pick<Word, 'text'>[]) => words.map(({ text }) => text);
  const removed = new Set<number>();
  const added = new Set<number>();
  let [left, right] = [0, 0];
  const changes = shortestEdit(texts(before), texts(after), MOST_EDITS);
  if (!changes) return undefined;
  for (const { kind } of changes) {
    if (kind === 'removed') removed.add(left);
    if (kind === 'added') added.add(right);
    if (kind !== 'added') left += 1;
    if (kind !== 'removed') right += 1;
  }
  return { removed, added };
}

/** Neighbouring words of one text node are one range, with the space between them. */
function toRanges(words: readonly Word[], chosen: ReadonlySet<number>): readonly Range[] {
  const ranges: Range[] = [];
  let last = -2;
  for (const index of [...chosen].sort((a, b) => a - b)) {
    const { node, start, text } = words[index]!;
    const open = ranges.at(-1);
    if (open && last === index - 1 && open.endContainer === node) open.setEnd(node, start + text.length);
    else {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, start + text.length);
      ranges.push(range);
    }
    last = index;
  }
  return ranges;
}
