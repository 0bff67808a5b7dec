import {
  isObject,
  type JsonObject,
  leafNode,
  listNode,
  parseJson,
  printTree,
  recordNode,
  setMember,
  skipSpace,
  textAt,
} from '../../json/index.ts';
import type { Assembler, RawReply } from '../dialect.ts';
import type { Stop } from '../reply.ts';
import type { StreamEvent } from '../stream/events.ts';
import { UnreadEvents } from '../stream/unread.ts';
import { stringField } from './fields.ts';
import { blockReason, EMPTY_REPLY, isResponse } from './read-response.ts';
import { blockedStop } from './stop.ts';
import { isBlank, StreamedCandidate } from './streamed-candidate.ts';
import { usageOf } from './usage.ts';

const NOTHING: readonly StreamEvent[] = [];

/**
 * Each event is a whole response. How they become one:
 * 1. The parts of a candidate (by `index`, 0 when absent) are appended as they are, in their exact text.
 * 2. Other members of its content join as deltas do; a role replaces.
 * 3. Of all members of candidates and of the response the last that is not blank counts, lists included: usage and
 *    grounding are sent whole. Only `logprobsResult` merges, its lists append.
 */
export class GoogleAssembler implements Assembler {
  /** The last event that had each member of the response. */
  readonly #members = new Map<string, string>();
  readonly #candidates = new Map<number, StreamedCandidate>();
  readonly #unread = new UnreadEvents();
  #failure: Stop | undefined;
  #block: unknown;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    try {
      const value = parseJson(data);
      if (isObject(value)) {
        if (isObject(value.error) && value.candidates === undefined) return this.#fail(event, data, value.error);
        if (isResponse(value)) return this.#add(data, value);
      }
    } catch {
      // Not JSON, or nested too deep: kept as it is.
    }
    return this.#unread.keep(event, data);
  }

  finish(): RawReply & { readonly cut: boolean } {
    const candidates = [...this.#candidates].sort(([a], [b]) => a - b).map(([, candidate]) => candidate);
    const [first] = candidates;
    const isBlocked = this.#block !== undefined;
    const cut = first?.stop === undefined && !isBlocked;
    const otherwise = this.#failure ?? (cut ? ({ reason: 'cut', native: undefined } as const) : undefined);
    const choices = candidates.map((candidate, index) => ({
      raw: candidate.raw(),
      stop: (index === 0 ? this.#failure : undefined) ?? candidate.stop ?? otherwise ?? blockedStop(this.#block),
    }));
    const usage = this.#text('usageMetadata') ?? this.#text('usage_metadata');
    const model = this.#text('modelVersion') ?? this.#text('model_version');
    return {
      choices: choices.length > 0 ? choices : [{ raw: EMPTY_REPLY, stop: otherwise ?? blockedStop(this.#block) }],
      usage: usage === undefined ? undefined : usageOf(JSON.parse(usage) as JsonObject, usage),
      envelope: this.#envelope(candidates),
      model: model === undefined ? undefined : (JSON.parse(model) as string),
      cut,
    };
  }

  #add(data: string, value: JsonObject): readonly StreamEvent[] {
    for (const name in value) {
      if (!isBlank(value[name]) || !this.#members.has(name)) this.#members.set(name, data);
    }
    if ('promptFeedback' in value || 'prompt_feedback' in value) this.#block ??= blockReason(value);
    let events: readonly StreamEvent[] = NOTHING;
    const candidates = Array.isArray(value.candidates) ? (value.candidates as unknown[]) : [];
    for (let place = 0; place < candidates.length; place++) {
      const candidate = candidates[place];
      if (!isObject(candidate)) continue;
      const index = typeof candidate.index === 'number' ? candidate.index : 0;
      const told = this.#candidate(index).add(data, place, candidate, quickParts(data, value, candidate));
      if (index === 0) events = told;
    }
    return events;
  }

  #candidate(index: number): StreamedCandidate {
    const known = this.#candidates.get(index);
    if (known) return known;
    const made = new StreamedCandidate();
    this.#candidates.set(index, made);
    return made;
  }

  #fail(event: string | undefined, data: string, error: JsonObject): readonly StreamEvent[] {
    const native = stringField(error, 'status') ?? (error.code === undefined ? undefined : String(error.code));
    this.#failure = { reason: 'error', native };
    this.#unread.keep(event, data);
    return [{ type: 'error', message: stringField(error, 'message') ?? 'the stream reported an error', native: data }];
  }

  #text(name: string): string | undefined {
    const data = this.#members.get(name);
    return data === undefined ? undefined : textAt(data, [name]);
  }

  #envelope(candidates: readonly StreamedCandidate[]): string {
    const envelope = recordNode();
    for (const name of this.#members.keys()) {
      const list = () => listNode(candidates.map((candidate) => candidate.envelope()));
      setMember(envelope, name, name === 'candidates' ? list() : leafNode(this.#text(name)!));
    }
    this.#unread.addTo(envelope);
    return printTree(envelope);
  }
}

/**
 * Where the list of parts starts in an event of the usual form, which has them before anything else that could be
 * called so. Looking at every member of every event would cost more than parsing it.
 */
function quickParts(data: string, event: JsonObject, candidate: JsonObject): number | undefined {
  if (firstName(event) !== 'candidates' || firstName(candidate) !== 'content') return undefined;
  const { content } = candidate;
  if ((event.candidates as unknown[]).length !== 1 || !isObject(content) || !Array.isArray(content.parts))
    return undefined;
  const first = firstName(content);
  if (first !== 'parts' && (first !== 'role' || Object.keys(content)[1] !== 'parts')) return undefined;
  // A string that ends in `\"parts"` matches too, but no colon follows it.
  const at = data.indexOf('"parts"');
  const colon = skipSpace(data, at + 7);
  const start = data[colon] === ':' ? skipSpace(data, colon + 1) : -1;
  return data[start] === '[' ? start : undefined;
}

function firstName(value: JsonObject): string | undefined {
  for (const name in value) return name;
  return undefined;
}
