import { BLOCKS_ORIGIN, type Message } from '../../message/index.ts';
import { NO_CALLS } from './job.ts';
import { VIEW_ID } from './tool-names.ts';
import type { CallLookup, FoundCall } from './writer.ts';

const BY_NAME = /^skn_fn_\d+_(.*)$/s;

/** Whether a result has to be written anew to name the call that it answers: by name it finds only those of its issuer. */
export function isMisnamed(id: string, call: FoundCall | undefined): boolean {
  return call !== undefined && call.id !== id && !(call.isOwn && BY_NAME.test(id));
}

/** Remembers the calls of a history while it is walked, so that each result finds the call it answers. */
export class CallTracker {
  readonly #byId = new Map<string, FoundCall>();
  /** Calls since the last assistant turn began, for results that came without an id. */
  #open: FoundCall[] = [];
  #answering = false;

  /** What the results of this message answer; then the message's own calls are remembered. */
  next({ facts: { calls, results }, origin: { dialect } }: Message, isOwn: boolean): CallLookup {
    const found = results.length > 0 ? this.#answered(results, dialect) : NO_CALLS;
    if (calls.length > 0 && this.#answering) {
      this.#open = [];
      this.#answering = false;
    }
    for (const ref of calls) {
      const call = { ...ref, isOwn, dialect };
      this.#byId.set(call.id, call);
      this.#open.push(call);
    }
    return found;
  }

  #answered(results: readonly string[], dialect: string): CallLookup {
    const found = results.map((id) => this.#byId.get(id) ?? this.#takeOpen(id, dialect));
    this.#open = this.#open.filter((call) => !found.includes(call));
    this.#answering = true;
    return { find: (id) => found[results.indexOf(id)] };
  }

  /**
   * By name; a client's own id for a call that came without one can only mean the next such call. In another dialect
   * it means a call that is not here.
   */
  #takeOpen(id: string, dialect: string): FoundCall | undefined {
    const name = BY_NAME.exec(id)?.[1];
    const index = this.#open.findIndex((call) =>
      name === undefined
        ? call.id.startsWith(VIEW_ID) && (dialect === BLOCKS_ORIGIN.dialect || call.dialect === dialect)
        : call.name === name,
    );
    return index < 0 ? undefined : this.#open.splice(index, 1)[0];
  }
}
