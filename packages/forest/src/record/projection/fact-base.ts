import { sha256 } from '../../model/ids.ts';
import type { FactStore, FactVersion } from '../../store/index.ts';
import { type Exchange, startOrder } from '../exchange.ts';
import { PLACEMENT_RULES } from '../placement.ts';
import { OlderFacts, type RowReader } from './fact-map.ts';
import { createRecordedIndex, type IndexStep, type RecordedIndex } from './recorded-index.ts';

/** How much of a projection is in memory. */
export interface ProjectionLimits {
  /** If the store keeps facts: how many of the last steps can be undone. An exchange that arrives later is placed as of its end. */
  readonly steps: number;
  /** After how many more steps facts are stored. A start places at most this many exchanges and those above. */
  readonly every: number;
  /** How many rows of older facts each of two generations keeps. */
  readonly rows?: number;
  /** If it keeps none: how many of the last steps can be undone one by one. */
  readonly withoutFacts?: number;
}

export const LIMITS: ProjectionLimits = { steps: 2000, every: 2000 };

/** Which exchanges the stored facts are made of. */
export interface FoldedState {
  /** The position of the last of them. */
  readonly position: string;
  /** A cursor of the store's changes; everything before it was seen. */
  readonly cursor: string;
  /** Exchanges before the position that are not among them, because they had not ended. */
  readonly pending: readonly string[];
}

/** An exchange in the order in which it was placed. */
interface PlacedItem {
  readonly id: string;
  readonly clock: string;
  readonly order: string;
}

/** Another process has replaced the stored facts. */
export class FactsReplaced extends Error {}

/**
 * The stored part of a projection: the facts of all exchanges but the last ones. Any number of processes share it. Each
 * of them places the last exchanges itself; the one that has too many in memory stores the facts of the first of them.
 */
export class FactBase {
  readonly #facts: FactStore;
  readonly #rowsKept: number | undefined;
  #older: OlderFacts;
  #version: string | undefined;

  constructor(facts: FactStore, rowsKept?: number) {
    this.#facts = facts;
    this.#rowsKept = rowsKept;
    this.#older = new OlderFacts(rowsKept);
  }

  /** Begins again with what is stored. */
  async open(): Promise<{ readonly index: RecordedIndex; readonly state: FoldedState | undefined }> {
    const stored = await this.#facts.version();
    const state = stored && readState(stored);
    // Facts by other rules are derived again.
    if (stored && !state) await this.#facts.clear();
    this.#older = new OlderFacts(this.#rowsKept);
    this.#older.isEmpty = state === undefined;
    this.#version = state && stored?.version;
    return { index: createRecordedIndex(this.#older, this.#read), state };
  }

  /**
   * What another process has stored meanwhile: `same` if nothing, the state if those are the first of the given exchanges
   * and their facts were taken out of the index, undefined if they are others.
   */
  async follow(
    index: RecordedIndex,
    applied: readonly (PlacedItem & { readonly step: IndexStep | undefined })[],
  ): Promise<'same' | FoldedState | undefined> {
    const stored = await this.#facts.version();
    if (stored?.version === this.#version) return 'same';
    const state = stored && readState(stored);
    if (!stored || !state) return undefined;
    const folded = applied.filter(({ order }) => order <= state.position);
    if (stored.version !== nextVersion(this.#version, folded)) return undefined;
    this.#older.adopt(index.fold(applied.slice(folded.length).map(({ step }) => step!)));
    this.#version = stored.version;
    return state;
  }

  /** Stores the facts of the first exchanges, and takes them out of the index. */
  async fold(
    index: RecordedIndex,
    folded: readonly PlacedItem[],
    kept: readonly IndexStep[],
    state: FoldedState,
  ): Promise<void> {
    const rows = await this.#older.merge(index.fold(kept), this.#read);
    const version = nextVersion(this.#version, folded);
    const next: FactVersion = { version, state: JSON.stringify({ rules: PLACEMENT_RULES, ...state }) };
    if (!(await this.#facts.write(this.#version, next, rows))) throw new FactsReplaced();
    this.#version = version;
  }

  /** Forgets rows that are no longer in use. */
  trim(): void {
    this.#older.trim();
  }

  /** How many rows are in memory. */
  get size(): number {
    return this.#older.size;
  }

  clear(): Promise<void> {
    return this.#facts.clear();
  }

  readonly #read: RowReader = async (keys) => {
    const { version, values } = await this.#facts.read(keys);
    if (version !== this.#version) throw new FactsReplaced();
    return values;
  };
}

/** The same exchanges in the same order have the same version, whoever places them. */
function nextVersion(before: string | undefined, folded: readonly PlacedItem[]): string {
  const lines = folded.map(({ id, clock, order }) => `${order} ${id} ${clock}`);
  return sha256([before, ...lines].join('\n')).slice(0, 32);
}

function readState({ state }: FactVersion): FoldedState | undefined {
  try {
    const { rules, position, cursor, pending } = JSON.parse(state) as FoldedState & { rules: number };
    return rules === PLACEMENT_RULES ? { position, cursor, pending } : undefined;
  } catch {
    return undefined;
  }
}

/** An exchange whose place by start time is among those whose facts are stored comes when it ended: only then could it be continued. */
export function latePosition({ id, start, end = start }: Exchange, position: string): string {
  const late = `${position}~${startOrder(start)}.${id}`;
  const ended = `${startOrder(end)}.${id}`;
  return ended > late ? ended : late;
}
