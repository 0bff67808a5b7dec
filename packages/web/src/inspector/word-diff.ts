export interface TextChange {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Words, numbers, runs of white space, and single other characters. */
const WORDS = /[\p{L}\p{M}_]+|\p{N}+|\s+|[\s\S]/gu;
const LINES = /[^\n]*\n|[^\n]+$/g;

/** The most edits to search for. With more, lines are compared instead of words; with still more, the whole text counts as changed. */
const MOST_EDITS = 1200;

/**
 * The removals and additions that turn `before` into `after`, removals first. All pieces but the added ones joined are
 * `before`; all but the removed ones joined are `after`.
 */
export function wordDiff(before: string, after: string): readonly TextChange[] {
  const changes =
    diffPieces(before.match(WORDS) ?? [], after.match(WORDS) ?? []) ??
    diffPieces(before.match(LINES) ?? [], after.match(LINES) ?? []) ??
    ([
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ] as const);
  return tidy(changes);
}

function diffPieces(before: readonly string[], after: readonly string[]): readonly TextChange[] | undefined {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const edits = shortestEdit(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
    MOST_EDITS,
  );
  if (!edits) return undefined;
  const same = (pieces: readonly string[]): TextChange => ({ kind: 'same', text: pieces.join('') });
  return [same(before.slice(0, start)), ...edits, same(before.slice(before.length - end))];
}

/** Joins neighbours of the same kind, and spaces between two changes with them, so that whole phrases are marked. */
function tidy(changes: readonly TextChange[]): readonly TextChange[] {
  const tidied: TextChange[] = [];
  let removed = '';
  let added = '';
  const close = () => {
    if (removed !== '') tidied.push({ kind: 'removed', text: removed });
    if (added !== '') tidied.push({ kind: 'added', text: added });
    removed = '';
    added = '';
  };
  const joined = joinNeighbours(changes.filter(({ text }) => text !== ''));
  for (const [index, { kind, text }] of joined.entries()) {
    const isBetween = (removed !== '' || added !== '') && index < joined.length - 1;
    if (kind === 'removed') removed += text;
    else if (kind === 'added') added += text;
    else if (isBetween && /^[^\S\n]+$/.test(text)) {
      removed += text;
      added += text;
    } else {
      close();
      tidied.push({ kind, text });
    }
  }
  close();
  return tidied;
}

function joinNeighbours(changes: readonly TextChange[]): readonly TextChange[] {
  const joined: TextChange[] = [];
  for (const change of changes) {
    const last = joined.at(-1);
    if (last?.kind === change.kind) joined[joined.length - 1] = { ...last, text: last.text + change.text };
    else joined.push(change);
  }
  return joined;
}

/**
 * The fewest removals and additions between two lists (Myers 1986); undefined when there would be more than `most`, so
 * that the work is bounded by `most` times the length.
 */
export function shortestEdit(
  before: readonly string[],
  after: readonly string[],
  most: number,
): readonly TextChange[] | undefined {
  const limit = Math.min(most, before.length + after.length);
  // furthest[k + limit + 1]: how far into `before` the best way on diagonal k comes.
  const furthest = new Int32Array(2 * limit + 3);
  const middle = limit + 1;
  const steps: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits += 1) {
    steps.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const below = furthest[middle + diagonal + 1]!;
      const left = furthest[middle + diagonal - 1]!;
      let x = diagonal === -edits || (diagonal !== edits && left < below) ? below : left + 1;
      let y = x - diagonal;
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x += 1;
        y += 1;
      }
      furthest[middle + diagonal] = x;
      if (x >= before.length && y >= after.length) return walkBack(before, after, steps);
    }
  }
  return undefined;
}

/** `steps[n]` is how far each diagonal came before the edit n, from diagonal -n - 1 to n + 1. */
function walkBack(
  before: readonly string[],
  after: readonly string[],
  steps: readonly Int32Array[],
): readonly TextChange[] {
  const changes: TextChange[] = [];
  let x = before.length;
  let y = after.length;
  for (let edits = steps.length - 1; edits >= 0; edits -= 1) {
    const furthest = steps[edits]!;
    const reached = (diagonal: number) => furthest[diagonal + edits + 1]!;
    const diagonal = x - y;
    const isDown = diagonal === -edits || (diagonal !== edits && reached(diagonal - 1) < reached(diagonal + 1));
    const fromX = edits === 0 ? 0 : isDown ? reached(diagonal + 1) : reached(diagonal - 1);
    const fromY = edits === 0 ? 0 : fromX - (isDown ? diagonal + 1 : diagonal - 1);
    while (x > fromX && y > fromY && before[x - 1] === after[y - 1]) {
      x -= 1;
      y -= 1;
      changes.push({ kind: 'same', text: before[x]! });
    }
    if (edits === 0) break;
    if (isDown) changes.push({ kind: 'added', text: after[fromY]! });
    else changes.push({ kind: 'removed', text: before[fromX]! });
    x = fromX;
    y = fromY;
  }
  return changes.reverse();
}
