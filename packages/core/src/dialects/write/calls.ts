import type { Message } from '../../message/index.ts';
import { NO_CALLS } from './job.ts';
import { VIEW_ID } from './tool-names.ts';
import type { CallLookup, FoundCall } from './writer.ts';

const BY_NAME = /^skn_fn_\d+_(.*)$/s;

/** Remembers the calls of a history while it is walked, so that each result finds the call it answers. */
export class CallTracker {
  readonly #byId = new Map<string, FoundCall>();
  /** Calls since the last assistant turn began, for results that came without an id. */
  #open: FoundCall[] = [];
  #answering = false;

  /** What the results of this message answer; then the message's own calls are remembered. */
  next({ facts: { calls, results } }: Message, isOwn: boolean): CallLookup {
    const found = results.length > 0 ? this.#answered(results) : NO_CALLS;
    if (calls.length > 0 && this.#answering) {
      this.#open = [];
      this.#answering = false;
    }
    for (const ref of calls) {
      const call = isOwn ? { ...ref, isOwn } : ref;
      this.#byId.set(call.id, call);
      this.#open.push(call);
    }
    return found;
  }

  #answered(results: readonly string[]): CallLookup {
    const found = results.map((id) => this.#byId.get(id) ?? this.#takeOpen(id));
    this.#open = this.#open.filter((call) => !found.includes(call));
    this.#answering = true;
    return { find: (id) => found[results.indexOf(id)] };
  }

  /** By name; a client's own id for a call that came without one can only mean the next such call. */
  #takeOpen(id: string): FoundCall | undefined {
    const name = BY_NAME.exec(id)?.[1];
    const index = this.#open.findIndex((call) =>
      name === undefined ? call.id.startsWith(VIEW_ID) : call.name === name,
    );
    return index < 0 ? undefined : this.#open.splice(index, 1)[0];
  }
}
