import { canonical } from '@skein/core';
import { sha256 } from '../model/ids.ts';
import type { StoreRecord } from '../model/records.ts';
import { EXCHANGES } from '../record/index.ts';
import { isEntry, recordKey } from '../store/records.ts';

/**
 * A record as peers compare it. `id` is a hash of the record; two forests have the same record if they have the same id.
 * Bodies and takes never change; of nodes, refs and entries with the same `key`, one `version` counts.
 */
export interface RecordItem {
  readonly id: string;
  /** Records are sent in this order, so that whatever a record refers to arrives before it. */
  readonly rank: number;
  /** Where its store finds it. */
  readonly key: string;
  /** The clock of a ref or an entry, the time of a node; absent in records that never change. */
  readonly version?: string | number;
}

/** How many records there are below a prefix, and the sum of their ids: equal summaries mean equal records. */
export interface RecordSummary {
  readonly count: number;
  /** All ids, combined by exclusive or. */
  readonly sum: string;
}

const ID_DIGITS = 32;
/** The form of an id. */
export const ID = new RegExp(`^[0-9a-f]{${ID_DIGITS}}$`);
const AFTER_NODES = 1_000_000_000;

/**
 * Describes a record for a comparison; undefined for records of unknown kinds, which no store can list.
 *
 * @example
 * describeRecord(node)?.key; // 'node/71438bb4…'
 */
export function describeRecord(record: StoreRecord): RecordItem | undefined {
  const key = `${record.k}/${recordKey(record)}`;
  switch (record.k) {
    case 'body':
      return { id: hashId(key), rank: 0, key };
    case 'node':
      // Everything but the time follows from the id.
      return { id: hashId(`${key} ${record.at}`), rank: record.depth, key, version: record.at };
    case 'take':
      return { id: hashId(key), rank: AFTER_NODES, key: `${key}/${record.node}` };
    case 'ref':
      return { id: hashId(canonical(JSON.stringify(record))), rank: AFTER_NODES + 3, key, version: record.clock };
    default:
      if (!isEntry(record)) return undefined;
      return {
        id: hashId(canonical(JSON.stringify(record))),
        // An exchange without its parts would be placed as one that said nothing.
        rank: AFTER_NODES + (record.of === EXCHANGES || record.k === 'generation' ? 2 : 1),
        key: `entry/${recordKey(record)}`,
        version: record.clock,
      };
  }
}

/** A hash of everything in a node; undefined for other records, whose ids cover everything. */
export function recordSum(record: StoreRecord): string | undefined {
  return record.k === 'node' ? hashId(canonical(JSON.stringify(record))) : undefined;
}

function hashId(text: string): string {
  return sha256(text).slice(0, ID_DIGITS);
}

/** Whether the first of two versions of a record counts: the earlier time of a node, the later clock of anything else. */
export function isWinner(one: RecordItem, other: RecordItem): boolean {
  if (typeof one.version === 'number') return one.version < Number(other.version);
  return String(one.version) > String(other.version);
}

/** Summaries are kept for prefixes of up to this many digits: 65,536 leaves. Below, they are computed when they are asked for. */
const DEEPEST = 4;
/** No prefix is split further than this. */
export const LONGEST_PREFIX = 12;
/** How many digits follow a prefix. */
export const CHILDREN = 16;
const WORDS = 4;

/** What a forest has, by id: each prefix has a summary, so that two indexes find their differences in a few steps. */
export interface RecordIndex {
  readonly size: number;
  /** Adds an item. One with the same key and another version is replaced. */
  put(item: RecordItem): void;
  get(id: string): RecordItem | undefined;
  /** Whether there is a version of a record that can be replaced. */
  hasKey(key: string): boolean;
  /** The summaries of the sixteen longer prefixes. */
  summaries(prefix: string): RecordSummary[];
  items(prefix: string): RecordItem[];
}

/** Creates an empty index. */
export function createRecordIndex(): RecordIndex {
  const leaves = new Map<number, Map<string, RecordItem>>();
  /** The ids of items that can be replaced, by key. */
  const current = new Map<string, string>();
  const levels = Array.from({ length: DEEPEST + 1 }, (_, depth) => ({
    counts: new Uint32Array(CHILDREN ** depth),
    sums: new Uint32Array(CHILDREN ** depth * WORDS),
  }));

  const leafOf = (id: string) => place(id.slice(0, DEEPEST));
  const add = (id: string, count: 1 | -1) => {
    const words = idWords(id);
    let at = leafOf(id);
    for (let depth = DEEPEST; depth >= 0; depth--) {
      const { counts, sums } = levels[depth]!;
      counts[at]! += count;
      for (let word = 0; word < WORDS; word++) sums[at * WORDS + word]! ^= words[word]!;
      at >>= 4;
    }
  };

  return {
    get size() {
      return levels[0]!.counts[0]!;
    },
    put(item) {
      const number = leafOf(item.id);
      let leaf = leaves.get(number);
      if (leaf?.has(item.id)) return;
      if (item.version !== undefined) {
        const before = current.get(item.key);
        if (before !== undefined && leaves.get(leafOf(before))!.delete(before)) add(before, -1);
        current.set(item.key, item.id);
        leaf = leaves.get(number);
      }
      if (leaf) leaf.set(item.id, item);
      else leaves.set(number, new Map([[item.id, item]]));
      add(item.id, 1);
    },
    hasKey: (key) => current.has(key),
    get: (id) => leaves.get(leafOf(id))?.get(id),
    summaries(prefix) {
      if (prefix.length >= DEEPEST) return summarise(itemsBelow(prefix), prefix.length);
      const { counts, sums } = levels[prefix.length + 1]!;
      const first = place(prefix) * CHILDREN;
      return Array.from({ length: CHILDREN }, (_, child) => {
        const words = sums.subarray((first + child) * WORDS, (first + child + 1) * WORDS);
        return { count: counts[first + child]!, sum: Array.from(words, toHex).join('') };
      });
    },
    items: itemsBelow,
  };

  function itemsBelow(prefix: string): RecordItem[] {
    if (prefix.length > DEEPEST)
      return [...(leaves.get(leafOf(prefix))?.values() ?? [])].filter(({ id }) => id.startsWith(prefix));
    const span = CHILDREN ** (DEEPEST - prefix.length);
    const first = place(prefix) * span;
    const found: RecordItem[] = [];
    for (let leaf = first; leaf < first + span; leaf++) found.push(...(leaves.get(leaf)?.values() ?? []));
    return found;
  }
}

/** The summaries of items by the digit at an index of their ids. */
function summarise(items: readonly RecordItem[], digit: number): RecordSummary[] {
  const counts = new Array<number>(CHILDREN).fill(0);
  const sums = new Uint32Array(CHILDREN * WORDS);
  for (const { id } of items) {
    const child = place(id.slice(digit, digit + 1));
    counts[child]! += 1;
    for (const [word, value] of idWords(id).entries()) sums[child * WORDS + word]! ^= value;
  }
  return counts.map((count, child) => ({
    count,
    sum: Array.from(sums.subarray(child * WORDS, (child + 1) * WORDS), toHex).join(''),
  }));
}

function idWords(id: string): number[] {
  return Array.from({ length: WORDS }, (_, word) => Number.parseInt(id.slice(word * 8, word * 8 + 8), 16));
}

function place(prefix: string): number {
  return prefix === '' ? 0 : Number.parseInt(prefix, 16);
}

function toHex(word: number): string {
  return word.toString(16).padStart(8, '0');
}
