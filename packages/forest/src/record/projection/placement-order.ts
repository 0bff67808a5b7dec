import type { EntryRecord } from '../../model/records.ts';
import type { Placement } from '../placement.ts';
import type { IndexStep } from './recorded-index.ts';

/** An exchange to be placed. */
export interface QueuedExchange {
  readonly id: string;
  readonly clock: string;
  /** Its position by start time. */
  readonly natural: string;
  /** Its actual position: the same, or after a later exchange that it continues. */
  readonly order: string;
  /** Its record, if it has just been read. */
  readonly entry?: EntryRecord;
  /** The place that it had. */
  readonly former?: Placement | undefined;
}

/** An exchange that is placed. */
export interface AppliedExchange extends QueuedExchange {
  /** Undefined if it can no longer be undone. */
  step: IndexStep | undefined;
}

/** Why an exchange is not in the order of start times. */
interface Reordering {
  readonly order: string;
  /** The position of the exchange that it continues. */
  readonly by: string;
  readonly natural: string;
  /**
   * The exchanges that it was moved behind so far. It moves behind each only once, so that two that seem to continue
   * each other do not move for ever.
   */
  readonly behind: readonly string[];
}

/**
 * The exchanges that were placed and whose facts are not stored, in the order of their places: by their start, but behind those
 * that they continue.
 */
export class PlacementOrder {
  readonly #stepsKept: number;
  readonly #restart: () => void;
  readonly #applied: AppliedExchange[] = [];
  /** The clock of each exchange record that was placed. */
  readonly #clocks = new Map<string, string>();
  /** Exchanges that were moved behind a later one. */
  readonly #moved = new Map<string, Reordering>();

  /** The last `stepsKept` steps can be undone one by one; `restart` undoes all at once, where that is not enough. */
  constructor(restart: () => void, stepsKept: number) {
    this.#restart = restart;
    this.#stepsKept = stepsKept;
  }

  get applied(): readonly AppliedExchange[] {
    return this.#applied;
  }

  /** Whether this version of an exchange was placed. */
  has(id: string, clock: string): boolean {
    return this.#clocks.get(id) === clock;
  }

  /** An exchange was placed behind all others. */
  add({ id, clock, natural, order }: QueuedExchange, step: IndexStep | undefined, former: Placement): void {
    this.#applied.push({ id, clock, natural, order, step, former });
    this.#clocks.set(id, clock);
    const old = this.#applied.at(-this.#stepsKept - 1);
    if (old) old.step = undefined;
  }

  /** The facts of the exchanges up to a position are stored. */
  dropTo(last: string): void {
    const count = this.#applied.findLastIndex(({ order }) => order <= last) + 1;
    for (const { id } of this.#applied.splice(0, count)) {
      this.#clocks.delete(id);
      this.#moved.delete(id);
    }
  }

  /** Undoes the steps from a position on, and those whose place may depend on them. Returns what has to be placed again. */
  undoFrom(order: string): QueuedExchange[] {
    return this.#rollBack(this.#forgetMoves(order));
  }

  /** Moves exchanges behind a later one whose reply they continue; the clocks of two servers differ. Returns what has to be placed again. */
  moveBehind(ids: readonly string[], { id: mover, order }: QueuedExchange): QueuedExchange[] {
    let first: string | undefined;
    let left = ids.length;
    for (let at = this.#applied.length - 1; at >= 0 && left > 0; at--) {
      const { id, natural, order: now } = this.#applied[at]!;
      if (!ids.includes(id)) continue;
      left -= 1;
      const behind = this.#moved.get(id)?.behind ?? [];
      if (behind.includes(mover)) continue;
      this.#moved.set(id, { order: `${order}~${natural}`, by: order, natural, behind: [...behind, mover] });
      first = now;
    }
    return first === undefined ? [] : this.#rollBack(first);
  }

  /** Forgets reorderings whose cause may have changed. Returns the first position that is affected. */
  #forgetMoves(from: string): string {
    let first = from;
    for (let size = -1; size !== this.#moved.size; ) {
      size = this.#moved.size;
      for (const [id, { by, natural }] of this.#moved) {
        if (by < first) continue;
        this.#moved.delete(id);
        if (natural < first) first = natural;
      }
    }
    return first;
  }

  /** Undoes all steps from a position on, last first. */
  #rollBack(order: string): QueuedExchange[] {
    const at = this.#applied.findLastIndex((one) => one.order < order) + 1;
    if (at === this.#applied.length) return [];
    const canUndo = this.#applied[at]!.step !== undefined;
    const taken = this.#applied.splice(canUndo ? at : 0);
    if (canUndo) for (const { step } of taken.toReversed()) step!.undo();
    else this.#restart();
    return taken.map(({ id, clock, natural, former }) => ({
      ...{ id, clock, natural, former },
      order: this.#moved.get(id)?.order ?? natural,
    }));
  }
}
