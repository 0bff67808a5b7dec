import { digest } from '../../json/index.ts';
import { BLOCKS_ORIGIN, type Message } from '../../message/index.ts';
import { type LossNote, rewritten } from '../loss.ts';
import type { Policies } from '../provider.ts';
import type { CallLookup, CallMatch } from './writer.ts';

/** Finds no call. */
export const NO_CALLS: CallLookup = { find: () => undefined };

const BY_NAME = /^skn_fn_\d+_(.*)$/s;

/** Whether a result must be written anew to name its call: naming it by function works only for calls of the same issuer. */
export function isMisnamed(id: string, call: CallMatch | undefined): boolean {
  return call !== undefined && call.id !== id && !(call.isOwn && BY_NAME.test(id));
}

/** Follows the calls of a history, message by message, to find the call that each result answers. */
export class CallTracker {
  readonly #byId = new Map<string, CallMatch>();
  /** The tracker of the messages before, which must not go on while this one is used. */
  readonly #earlier: CallTracker | undefined;
  /** The calls since the last assistant turn began, for results without an id. */
  #open: CallMatch[] = [];
  #answering = false;

  constructor(earlier?: CallTracker) {
    this.#earlier = earlier;
    if (!earlier) return;
    this.#open = [...earlier.#open];
    this.#answering = earlier.#answering;
  }

  /** Finds the calls that the results of this message answer, then remembers the message's own calls. */
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
    const found = results.map((id) => this.#findById(id) ?? this.#takeOpen(id, dialect));
    this.#open = this.#open.filter((call) => !found.includes(call));
    this.#answering = true;
    return { find: (id) => found[results.indexOf(id)] };
  }

  #findById(id: string): CallMatch | undefined {
    return this.#byId.get(id) ?? (this.#earlier ? this.#earlier.#byId.get(id) : undefined);
  }

  /**
   * Matches by name. If the call came without an id, an id that the client made up can only mean the next such call; in
   * another dialect it means a call that is not here.
   */
  #takeOpen(id: string, dialect: string): CallMatch | undefined {
    const name = BY_NAME.exec(id)?.[1];
    const index = this.#open.findIndex((call) =>
      name === undefined
        ? call.id.startsWith(VIEW_ID) && (dialect === BLOCKS_ORIGIN.dialect || call.dialect === dialect)
        : call.name === name,
    );
    return index < 0 ? undefined : this.#open.splice(index, 1)[0];
  }
}

/** The start of the ids that only the view gives to calls without one. */
export const VIEW_ID = 'skn_';

/** The id of a call that came without one, derived from the message's text. */
export function viewId(raw: string, index: number): string {
  return `${VIEW_ID}${digest(raw).slice(0, 12)}_${index}`;
}

/** The id of a call in a form that the target takes: unchanged, or derived, the same for the call and its result. */
export function targetToolId(id: string, policies: Policies, path: string, losses: LossNote[]): string {
  if (fits(id, policies.toolIds)) return id;
  const plain = `call_${digest(id).slice(0, 24)}`;
  // Some targets take only letters and digits, in a fixed length.
  const made = fits(plain, policies.toolIds) ? plain : digest(id).slice(0, policies.toolIds.maxLength);
  losses.push(rewritten(path, 'tool-id', `${id} -> ${made}`));
  return made;
}

/** The name of a tool in a form that the target takes. */
export function targetToolName(name: string, policies: Policies, path: string, losses: LossNote[]): string {
  const { toolNames } = policies;
  if (fits(name, toolNames)) return name;
  // The digest keeps names distinct that differ only in refused characters.
  const base = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, toolNames.maxLength - 8);
  const plain = `${base}_${digest(name).slice(0, 6)}`;
  // Some protocols require a letter or an underscore first.
  const made = fits(plain, toolNames) ? plain : `_${plain}`;
  losses.push(rewritten(path, 'tool-name', `${name} -> ${made}`));
  return made;
}

function fits(value: string, rule: { readonly pattern: string; readonly maxLength: number }): boolean {
  return value.length <= rule.maxLength && new RegExp(rule.pattern).test(value);
}
