import { digest } from '../../json/index.ts';
import { BLOCKS_ORIGIN, type Message } from '../../message/index.ts';
import { type LossNote, rewritten } from '../loss.ts';
import type { Policies } from '../provider.ts';
import type { CallLookup, FoundCall } from './writer.ts';

export const NO_CALLS: CallLookup = { find: () => undefined };

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

/** Calls that came without an id have one in the view only; it begins so. */
export const VIEW_ID = 'skn_';

/** The id of a call that came without one, made from the message's text. */
export function viewId(raw: string, index: number): string {
  return `${VIEW_ID}${digest(raw).slice(0, 12)}_${index}`;
}

/** The id of a call as the target takes it: its own, or one made from it, the same for the call and its result. */
export function targetToolId(id: string, policies: Policies, path: string, losses: LossNote[]): string {
  if (fits(id, policies.toolIds)) return id;
  const plain = `call_${digest(id).slice(0, 24)}`;
  // Some take ids of one length and letters only.
  const made = fits(plain, policies.toolIds) ? plain : digest(id).slice(0, policies.toolIds.maxLength);
  losses.push(rewritten(path, 'tool-id', `${id} -> ${made}`));
  return made;
}

export function targetToolName(name: string, policies: Policies, path: string, losses: LossNote[]): string {
  const { toolNames } = policies;
  if (fits(name, toolNames)) return name;
  // Names that differ only in what is refused stay apart.
  const base = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, toolNames.maxLength - 8);
  const plain = `${base}_${digest(name).slice(0, 6)}`;
  // Some protocols want a letter first.
  const made = fits(plain, toolNames) ? plain : `_${plain}`;
  losses.push(rewritten(path, 'tool-name', `${name} -> ${made}`));
  return made;
}

function fits(value: string, rule: { readonly pattern: string; readonly maxLength: number }): boolean {
  return value.length <= rule.maxLength && new RegExp(rule.pattern).test(value);
}
