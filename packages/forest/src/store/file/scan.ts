import { pageLimit, readCursor } from '../page.ts';
import { type PageRequest, StoreError } from '../store.ts';
import type { NodeTable } from './tables/node-table.ts';
import type { Tables } from './tables/tables.ts';

/** Where a scan goes on. Row numbers hold only for one numbering; what was listed can be recognised in another one. */
interface ScanPosition {
  readonly numbering: string;
  /** The last row that was listed. */
  readonly row: number;
  /** Its depth if the list is by depth, -1 if it is by row. */
  readonly depth: number;
  /** How many nodes were listed. */
  readonly count: number;
  /** The sum of their ids, in any order. */
  readonly sum: number;
}

const SUM_DIGITS = 12;
const SUM_LIMIT = 16 ** SUM_DIGITS;

/** A page of the rows of all nodes, parents before their children. */
export function scanRows(
  { nodes, numbering }: Tables,
  page: PageRequest,
): { readonly rows: readonly number[]; readonly next?: string } {
  const limit = pageLimit(page);
  const order = (isByRow: boolean) => rowsInOrder(nodes, isByRow ? undefined : nodes.rowsByDepth());
  const after = page.after === undefined ? undefined : readPosition(page.after);
  // Behind a node that was listed there is room for new ones, but none changes its place.
  const isKnown = after?.numbering === numbering;
  const { length, rowAt, firstBehind, depthOf } = order(isKnown && after.depth < 0);
  let [count, sum] = [0, 0];
  let index = 0;
  const rows: number[] = [];
  const list = (row: number) => {
    count += 1;
    sum = (sum + Number.parseInt(nodes.idOf(row).slice(0, SUM_DIGITS), 16)) % SUM_LIMIT;
  };
  if (after && isKnown) {
    ({ count, sum } = after);
    index = firstBehind(after);
  } else if (after) {
    for (; index < length && count < after.count; index++) if (nodes.has(rowAt(index))) list(rowAt(index));
    if (sum !== after.sum) throw orderError();
  }
  for (; index < length; index++) {
    const row = rowAt(index);
    if (!nodes.has(row)) continue;
    const last = rows.at(-1);
    if (rows.length === limit) return { rows, next: JSON.stringify([numbering, last, depthOf(last!), count, sum]) };
    rows.push(row);
    list(row);
  }
  return { rows };
}

/** All rows but that of the root, in the order of their numbers, or as they are `sorted` by depth. */
function rowsInOrder({ count, depth }: NodeTable, sorted: Uint32Array | undefined) {
  if (!sorted)
    return {
      length: count - 1,
      rowAt: (index: number) => index + 1,
      firstBehind: ({ row }: ScanPosition) => row,
      depthOf: () => -1,
    };
  return {
    length: sorted.length,
    rowAt: (index: number) => sorted[index]!,
    firstBehind(last: ScanPosition) {
      const isLater = (row: number) => depth(row) > last.depth || (depth(row) === last.depth && row > last.row);
      const found = sorted.findIndex(isLater);
      return found < 0 ? sorted.length : found;
    },
    depthOf: depth,
  };
}

function readPosition(after: string): ScanPosition {
  const parts = readCursor(after, ['', 0, 0, 0, 0]);
  const [numbering, row, depth, count, sum] = parts as readonly [string, number, number, number, number];
  return { numbering, row, depth, count, sum };
}

function orderError(): StoreError {
  return new StoreError(
    'store_cursor',
    'Another process has packed or changed the segments while the nodes were listed, so their order is another one now. Start without "after".',
  );
}
