import { grown, type PlaceColumns, placeColumns } from './columns.ts';

export const ECHO_BYTES = 16;

/** One row per node. A node that others name and that is not there has a row without a record: a gap. */
export interface NodeColumns extends PlaceColumns {
  readonly parent: Uint32Array;
  readonly lead: Uint32Array;
  readonly body: Uint32Array;
  readonly depth: Uint32Array;
  readonly at: Float64Array;
  readonly role: Uint8Array;
  readonly firstChild: Uint32Array;
  readonly nextSibling: Uint32Array;
  readonly children: Uint32Array;
  /** 1 + a row of the takes; 0 for none. */
  readonly firstTake: Uint32Array;
  /** `ECHO_BYTES` of these per row. */
  readonly echo: Uint8Array;
}

export function nodeColumns(capacity: number): NodeColumns {
  const numbers = () => new Uint32Array(capacity);
  return {
    ...placeColumns(capacity),
    parent: numbers(),
    lead: numbers(),
    body: numbers(),
    depth: numbers(),
    at: new Float64Array(capacity),
    role: new Uint8Array(capacity),
    firstChild: numbers(),
    nextSibling: numbers(),
    children: numbers(),
    firstTake: numbers(),
    echo: new Uint8Array(capacity * ECHO_BYTES),
  };
}

export function grownNodes(columns: NodeColumns, capacity: number): NodeColumns {
  const { echo, ...others } = columns;
  return { ...grown(others, capacity), echo: grown({ echo }, capacity * ECHO_BYTES).echo };
}
