import { sha256 } from '../../model/index.ts';
import { readHex } from './hex.ts';
import { ECHO_BYTES, type NodeColumns } from './node-columns.ts';
import { createRowMap, type RowMap } from './row-map.ts';

/** The best node of each echo, and of each echo below each lead: looked up, never searched for among siblings. */
export interface EchoTable {
  add(row: number): void;
  /** The node to prefer among those with this echo; -1 for none. */
  find(echo: string, lead: number): number;
  /** A node's time has changed: who is best has to be found again. */
  isStale: boolean;
  save(): SavedEchoes;
}

export interface SavedEchoes {
  readonly byEcho: Uint32Array;
  readonly byLead: Uint32Array;
  readonly counts: readonly [byEcho: number, byLead: number];
}

export function createEchoTable(
  columnsNow: () => NodeColumns,
  isLaterId: (row: number, other: number) => boolean,
  saved?: SavedEchoes,
): EchoTable {
  const wanted = new Uint8Array(ECHO_BYTES);
  const hash = (row: number) => hashAt(columnsNow().echo, row * ECHO_BYTES);
  const leadHash = (row: number) => withLead(hash(row), columnsNow().lead[row]!);
  let byEcho = createRowMap(hash, saved && { slots: saved.byEcho, count: saved.counts[0] });
  let byLead = createRowMap(leadHash, saved && { slots: saved.byLead, count: saved.counts[1] });

  const hasEcho = (row: number, echo: Uint8Array, at: number) => {
    const { echo: echoes } = columnsNow();
    for (let index = 0; index < ECHO_BYTES; index++)
      if (echoes[row * ECHO_BYTES + index] !== echo[at + index]) return false;
    return true;
  };
  const isBetter = (row: number, other: number) => {
    const { depth, at } = columnsNow();
    if (depth[row] !== depth[other]) return depth[row]! > depth[other]!;
    return at[row] === at[other] ? isLaterId(row, other) : at[row]! > at[other]!;
  };
  const put = (map: RowMap, key: number, row: number, isSame: (other: number) => boolean) => {
    const there = map.find(key, isSame);
    if (there < 0) map.add(key, row);
    else if (isBetter(row, there)) map.replace(key, there, row);
  };
  const add = (row: number) => {
    const { echo, lead } = columnsNow();
    const isSame = (other: number) => hasEcho(other, echo, row * ECHO_BYTES);
    put(byEcho, hash(row), row, isSame);
    put(byLead, leadHash(row), row, (other) => lead[other] === lead[row] && isSame(other));
  };
  const again = () => {
    byEcho = createRowMap(hash);
    byLead = createRowMap(leadHash);
    const { length } = columnsNow();
    for (let row = 1; row < length.length; row++) if (length[row]! > 0) add(row);
    table.isStale = false;
  };

  const table: EchoTable = {
    isStale: false,
    add,
    find(echo, lead) {
      if (table.isStale) again();
      readEcho(echo, wanted, 0);
      const key = hashAt(wanted, 0);
      const isSame = (row: number) => hasEcho(row, wanted, 0);
      const { lead: leads } = columnsNow();
      const preferred = lead < 0 ? -1 : byLead.find(withLead(key, lead), (row) => leads[row] === lead && isSame(row));
      return preferred >= 0 ? preferred : byEcho.find(key, isSame);
    },
    save() {
      if (table.isStale) again();
      return { byEcho: byEcho.slots, byLead: byLead.slots, counts: [byEcho.count, byLead.count] };
    },
  };
  return table;
}

/** The 16 bytes of an echo of rule 1. Those of other rules are hashed, so that none is taken for another. */
export function readEcho(echo: string, into: Uint8Array, at: number): void {
  const bytes = into.subarray(at, at + ECHO_BYTES);
  if (echo.startsWith('1:') && readHex(echo, 2, bytes, ECHO_BYTES)) return;
  readHex(sha256(echo).slice(0, ECHO_BYTES * 2), 0, bytes, ECHO_BYTES);
}

function hashAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

function withLead(hash: number, lead: number): number {
  return Math.imul(hash ^ Math.imul(lead + 1, 0x9e3779b1), 0x85ebca6b) >> 3;
}
