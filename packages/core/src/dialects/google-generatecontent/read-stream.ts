import { isObject, type JsonObject, listNode, printTree, setMember } from '../../json/index.ts';
import type { Assembler, RawReply } from '../dialect.ts';
import type { Stop } from '../reply.ts';
import {
  COUNT,
  errorEvent,
  NO_EVENTS,
  readEvent,
  STRING,
  type StreamEvent,
  UnreadEvents,
  usualParts,
} from '../stream/index.ts';
import { Latest } from './latest.ts';
import { field } from './parts.ts';
import { blockedStop, EMPTY_REPLY, isResponse, usageOf } from './read-response.ts';
import { StreamedCandidate } from './streamed-candidate.ts';

const some = (item: string): string => `${item}(?:,${item})*`;
const COUNTS = some(String.raw`"\w+": ?(?:${COUNT}|"\w*")`);
const USAGE = some(String.raw`"\w+": ?(?:${COUNT}|"\w*"|\[${some(`\\{${COUNTS}\\}`)}\])`);

/**
 * One more piece of text, or of a thought: its part, the text of it, whether it is a thought. It says all that the
 * usual events before it say of the response, so of these only the last counts.
 */
const USUAL = new RegExp(
  String.raw`^\{"candidates": ?\[\{"content": ?\{(?:"role": ?"model",)?"parts": ?\[(\{"text": ?${STRING}(,"thought": ?true)?\})\](?:,"role": ?"model")?\},"index": ?0\}\],"usageMetadata": ?\{${USAGE}\},"modelVersion": ?"[\w./-]+","responseId": ?"[\w-]+"\}$`,
);

/**
 * Each event is a whole response. How they become one:
 * 1. The parts of a candidate (by `index`, 0 when absent) are appended as they are, in their exact text.
 * 2. Other members of its content join as deltas do; a role replaces.
 * 3. Of all other members the last counts (`Latest`).
 */
export class GoogleAssembler implements Assembler {
  readonly #latest = new Latest();
  readonly #candidates = new Map<number, StreamedCandidate>();
  readonly #unread = new UnreadEvents();
  #failure: Stop | undefined;
  /** The last usual event, until its members count as the latest. */
  #last: string | undefined;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    const parts = usualParts(USUAL, data);
    const candidate = this.#candidates.get(0);
    if (parts.length > 0 && candidate?.isSpeaking) {
      this.#last = data;
      return candidate.say(parts[1]!, JSON.parse(parts[2]!), parts[3] !== undefined);
    }
    this.#settle();
    return this.#any(event, data);
  }

  finish(): RawReply & { readonly cut: boolean } {
    this.#settle();
    const candidates = [...this.#candidates].sort(([a], [b]) => a - b).map(([, candidate]) => candidate);
    const block = field(this.#latest.value('promptFeedback'), 'blockReason');
    const cut = candidates[0]?.stop === undefined && block === undefined;
    const otherwise: Stop = cut ? { reason: 'cut', native: undefined } : blockedStop(block);
    const choices = candidates.map((candidate) => ({ raw: candidate.raw(), stop: candidate.stop ?? otherwise }));
    const [first = { raw: EMPTY_REPLY, stop: otherwise }, ...others] = choices;
    const usage = this.#latest.text('usageMetadata');
    const model = this.#latest.value('modelVersion');
    return {
      choices: [{ raw: first.raw, stop: this.#failure ?? first.stop }, ...others],
      usage: usage === undefined ? undefined : usageOf(JSON.parse(usage), usage),
      envelope: this.#envelope(candidates),
      model,
      cut,
    };
  }

  #any(event: string | undefined, data: string): readonly StreamEvent[] {
    return readEvent(this.#unread, event, data, (value) => {
      if (isObject(value.error) && value.candidates === undefined) return this.#fail(event, data, value.error);
      return isResponse(value) ? this.#add(data, value) : undefined;
    });
  }

  #settle(): void {
    const data = this.#last;
    if (data === undefined) return;
    const value = JSON.parse(data);
    this.#latest.add(value, data, []);
    this.#candidates.get(0)!.addLatest(data, 0, value.candidates[0]);
    this.#last = undefined;
  }

  #add(data: string, value: JsonObject): readonly StreamEvent[] {
    this.#latest.add(value, data, []);
    let events = NO_EVENTS;
    const candidates: unknown[] = Array.isArray(value.candidates) ? value.candidates : [];
    candidates.forEach((candidate, place) => {
      if (!isObject(candidate)) return;
      const index = typeof candidate.index === 'number' ? candidate.index : 0;
      const known = this.#candidates.get(index) ?? new StreamedCandidate();
      this.#candidates.set(index, known);
      const told = known.add(data, place, candidate);
      if (index === 0) events = told;
    });
    return events;
  }

  #fail(event: string | undefined, data: string, error: JsonObject): readonly StreamEvent[] {
    const native = field(error, 'status') ?? error.code;
    this.#failure = { reason: 'error', native: native === undefined ? undefined : String(native) };
    this.#unread.keep(event, data);
    return [errorEvent(error, data)];
  }

  #envelope(candidates: readonly StreamedCandidate[]): string {
    const envelope = this.#latest.record();
    if (candidates.length > 0)
      setMember(envelope, 'candidates', listNode(candidates.map((candidate) => candidate.envelope())));
    this.#unread.addTo(envelope);
    return printTree(envelope);
  }
}
