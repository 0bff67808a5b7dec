import {
  find,
  isObject,
  type JsonObject,
  leafNode,
  mergeDelta,
  parseTree,
  type RecordNode,
  recordNode,
  setMember,
} from '../../json/index.ts';
import type { StreamEvent } from '../stream/events.ts';
import { DeltaTeller } from './stream-events.ts';
import { LatestMembers } from './stream-members.ts';
import { StreamedMessage } from './stream-message.ts';
import { oneMember, RULE } from './stream-rule.ts';

/** One choice of a streamed reply: its message, and what its envelope says. */
export class StreamedChoice {
  readonly #message = new StreamedMessage();
  readonly #teller = new DeltaTeller();
  readonly #members = new LatestMembers();
  readonly #logprobs = recordNode();
  #finish: string | undefined;

  get finishReason(): string | undefined {
    return this.#finish;
  }

  /** `events` takes what there is to tell; undefined for choices nobody watches. */
  add(data: string, position: number, choice: JsonObject, events: StreamEvent[] | undefined): void {
    const path = ['choices', position];
    // A whole message in place of a delta: some servers stream a reply in one piece.
    const holder = isObject(choice.delta) ? 'delta' : 'message';
    for (const name in choice) {
      // What the message is made of stands for itself; only its place is kept.
      this.#members.set(name, name === holder ? null : choice[name], data, path);
      if (name === 'logprobs' && choice.logprobs !== null) this.#addLogprobs(data, position);
    }
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') this.#finish = choice.finish_reason;
    const delta = choice[holder];
    if (!isObject(delta)) return;
    if (events) this.#teller.tell(delta, events);
    this.#message.add(data, [...path, holder], delta, events ?? []);
  }

  /** The next delta of an event that says nothing else new; its text and value. */
  addDelta(text: string, delta: JsonObject, events: StreamEvent[] | undefined): void {
    if (events) this.#teller.tell(delta, events);
    this.#message.add(text, [], delta, events ?? []);
  }

  print(): string {
    return this.#message.print();
  }

  /** The choice as an unstreamed envelope has it: no delta, and `null` for the message. */
  envelope(): RecordNode {
    const record = recordNode();
    for (const name of this.#members.names()) {
      const merged = name === 'logprobs' ? this.#logprobs.members[0]?.value : undefined;
      if (name === 'delta' || name === 'message') setMember(record, 'message', leafNode('null'));
      else setMember(record, name, merged ?? this.#members.tree(name)!);
    }
    return record;
  }

  /** Lists of log probabilities append. */
  #addLogprobs(data: string, position: number): void {
    const { start } = find(data, ['choices', position, 'logprobs'])!;
    mergeDelta(this.#logprobs, oneMember('logprobs', parseTree(data, start)), RULE);
  }
}
