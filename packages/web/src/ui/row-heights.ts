/**
 * The heights of the rows of a long list, and where each row begins. A row that was not measured yet has an estimated height;
 * measured ones are remembered by key, so a row keeps its height when others come before it.
 */
export interface RowHeights {
  /** Replaces the rows. */
  setKeys(keys: readonly string[], estimate: (index: number) => number): void;
  /** Notes a measured height; returns by how much it differs from what was assumed. */
  measure(index: number, height: number): number;
  isMeasured(index: number): boolean;
  /** The distance of the beginning of a row from the beginning of the first; for the number of rows, the height of all. */
  offsetOf(index: number): number;
  /** The row at a distance from the beginning of the first, or the nearest one. */
  indexAt(offset: number): number;
}

export function createRowHeights(): RowHeights {
  const measured = new Map<string, number>();
  let keys: readonly string[] = [];
  let heights: number[] = [];
  /** The beginnings of the rows, right up to the one at `known`. */
  const offsets: number[] = [0];
  let known = 0;

  const offsetOf = (index: number) => {
    for (; known < index; known++) offsets[known + 1] = offsets[known]! + heights[known]!;
    return offsets[index]!;
  };
  return {
    setKeys(next, estimate) {
      let same = 0;
      while (same < next.length && next[same] === keys[same]) same += 1;
      keys = next;
      heights = next.map((key, index) =>
        index < same ? heights[index]! : (measured.get(key) ?? Math.max(1, estimate(index))),
      );
      offsets.length = Math.min(offsets.length, same + 1);
      known = Math.min(known, same);
    },
    measure(index, height) {
      measured.set(keys[index]!, height);
      const more = height - heights[index]!;
      if (more !== 0) {
        heights[index] = height;
        known = Math.min(known, index);
      }
      return more;
    },
    isMeasured: (index) => measured.has(keys[index]!),
    offsetOf,
    indexAt(offset) {
      let [low, high] = [0, Math.max(0, keys.length - 1)];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (offsetOf(middle) <= offset) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}
