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
  type Tree,
  textAt,
} from '../../json/index.ts';
import type { StreamEvent } from '../stream/events.ts';
import { tellDelta } from './stream-events.ts';
import { StreamedMessage } from './stream-message.ts';
import { oneMember, RULE } from './stream-rule.ts';

/** One choice of a streamed reply: its message, and what its envelope says. */
export class StreamedChoice {
  readonly #message = new StreamedMessage();
  /** The event that holds the latest value of each member, and where the choice stood in it. */
  readonly #members = new Map<string, { readonly data: string; readonly position: number }>();
  readonly #logprobs = recordNode();
  #finish: string | undefined;

  get finishReason(): string | undefined {
    return this.#finish;
  }

  /** `events` takes what there is to tell; undefined for choices nobody watches. */
  add(data: string, position: number, choice: JsonObject, events: StreamEvent[] | undefined): void {
    for (const name in choice) {
      const value = choice[name];
      if ((value === null || value === '') && this.#members.has(name)) continue;
      this.#members.set(name, { data, position });
      if (name === 'logprobs' && value !== null) this.#addLogprobs(data, position);
    }
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') this.#finish = choice.finish_reason;
    // A whole message in place of a delta: some servers stream a reply in one piece.
    const member = isObject(choice.delta) ? 'delta' : 'message';
    const delta = choice[member];
    if (!isObject(delta)) return;
    if (events) tellDelta(delta, events);
    this.#message.add(data, ['choices', position, member], delta, events ?? []);
  }

  /** The next delta of an event that says nothing else new; its text and value. */
  addDelta(text: string, delta: JsonObject, events: StreamEvent[] | undefined): void {
    if (events) tellDelta(delta, events);
    this.#message.add(text, [], delta, events ?? []);
  }

  print(): string {
    return this.#message.print();
  }

  /** The choice as an unstreamed envelope has it: no delta, and `null` for the message. */
  envelope(): RecordNode {
    const record = recordNode();
    for (const [name, { data, position }] of this.#members) {
      if (name === 'delta' || name === 'message') setMember(record, 'message', leafNode('null'));
      else setMember(record, name, this.#member(name, data, position));
    }
    return record;
  }

  #member(name: string, data: string, position: number): Tree {
    const merged = name === 'logprobs' ? this.#logprobs.members[0]?.value : undefined;
    return merged ?? leafNode(textAt(data, ['choices', position, name])!);
  }

  /** Lists of log probabilities append. */
  #addLogprobs(data: string, position: number): void {
    const { start } = find(data, ['choices', position, 'logprobs'])!;
    mergeDelta(this.#logprobs, oneMember('logprobs', parseTree(data, start)), RULE);
  }
}
