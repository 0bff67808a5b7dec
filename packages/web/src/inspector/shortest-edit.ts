import type { Change } from './word-diff.ts';

/**
 * The fewest removals and additions between two lists (Myers 1986); undefined when there would be more than `most`, so
 * that the work is bounded by `most` times the length.
 */
export function shortestEdit(
  before: readonly string[],
  after: readonly string[],
  most: number,
): readonly Change[] | undefined {
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
): readonly Change[] {
  const changes: Change[] = [];
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
