import { isObject, type JsonObject, parseTree, type RecordNode } from '../../json/index.ts';
import type { Assembler } from '../dialect.ts';
import type { Stop } from '../reply.ts';
import {
  COUNT,
  escapedPiece,
  NO_EVENTS,
  pieceOf,
  readEvent,
  STRING,
  type StreamEvent,
  UnreadEvents,
  usualParts,
} from '../stream/index.ts';
import { stopOf } from './stop.ts';
import { PASSING, StreamBlock } from './stream-block.ts';
import { StreamEnvelope } from './stream-envelope.ts';
import { memberRecord, membersBut, pieceEvents, plainField, recordOf, size, startEvents } from './stream-events.ts';

/** A delta of text or thinking: its index, its field, its string. */
const USUAL = new RegExp(
  String.raw`^\{"type":"content_block_delta","index":${COUNT},"delta":\{"type":"(text|thinking)_delta","\2":${STRING}\} *\}$`,
);

export function assemble(): Assembler {
  return new MessageAssembler();
}

/**
 * Assembly rule 1 of this dialect: `text` and `thinking` pieces join, a signature is set, citations append, the pieces
 * of `partial_json` become the `input` text, unknown members of a delta join the block by the merge rule, and what
 * is said of the message replaces what the start said.
 */
class MessageAssembler implements Assembler {
  readonly #envelope = new StreamEnvelope();
  readonly #unread = new UnreadEvents();
  readonly #blocks: StreamBlock[] = [];
  readonly #byIndex = new Map<unknown, StreamBlock>();
  #ended = false;
  #failure: Stop | undefined;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    return this.#usual(data) ?? this.#any(event, data);
  }

  finish(): ReturnType<Assembler['finish']> {
    const cut = !this.#ended;
    const last = this.#blocks.at(-1);
    const content = this.#blocks.map((block) => block.text(cut && block === last)).join(',');
    const native = this.#envelope.string('stop_reason');
    const stop: Stop = this.#failure ?? (cut && native === undefined ? { reason: 'cut', native } : stopOf(native));
    return {
      choices: [{ raw: `{"role":${this.#envelope.roleText()},"content":[${content}]}`, stop }],
      usage: this.#envelope.usage(),
      model: this.#envelope.string('model'),
      envelope: this.#envelope.text((tree) => this.#unread.addTo(tree)),
      cut,
    };
  }

  #usual(data: string): readonly StreamEvent[] | undefined {
    const parts = usualParts(USUAL, data);
    const block = this.#byIndex.get(Number(parts[1]));
    if (!block) return undefined;
    const field = parts[2]!;
    const json = parts[3]!;
    const text = JSON.parse(json) as string;
    block.append(field, pieceOf(json, text));
    return text === '' ? NO_EVENTS : [{ type: field === 'text' ? field : 'reasoning', text }];
  }

  #any(event: string | undefined, data: string): readonly StreamEvent[] {
    return readEvent(this.#unread, event, data, (value) => this.#read(event, data, value));
  }

  /** Undefined for an event that is not understood. */
  #read(event: string | undefined, data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    switch (value.type ?? event) {
      case 'content_block_delta':
        return this.#delta(event, data, value);
      case 'content_block_start':
        return this.#blockStart(event, data, value);
      case 'content_block_stop':
        return this.#blockStop(event, data, value);
      case 'message_start':
        return this.#messageStart(event, data, value);
      case 'message_delta':
        return this.#messageDelta(data, value);
      case 'message_stop':
        this.#ended = true;
        this.#envelope.update(membersBut(recordOf(data), ['type']));
        return NO_EVENTS;
      case 'ping':
        return NO_EVENTS;
      case 'error':
        return this.#error(event, data, value);
      default:
        return undefined;
    }
  }

  #delta(event: string | undefined, data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    const { delta } = value;
    if (!isObject(delta) || typeof delta.type !== 'string') return undefined;
    const block = this.#byIndex.get(value.index) ?? this.#unannounced(value.index, delta.type);
    if (!block) return undefined;
    const field = plainField(delta.type);
    const piece = delta[field ?? 'partial_json'];
    const isPlain = typeof piece === 'string' && size(delta) === 2 && size(value) === 3;
    if (isPlain && field !== undefined) block.append(field, escapedPiece(data, ['delta', field], piece));
    else if (typeof delta.partial_json === 'string') block.appendJson(delta.partial_json);
    if (!isPlain) this.#merge(event, data, value, block);
    return typeof piece === 'string' && piece !== '' ? pieceEvents(block, field, value.index, piece) : NO_EVENTS;
  }

  #merge(event: string | undefined, data: string, value: JsonObject, block: StreamBlock): void {
    const whole = recordOf(data);
    const delta = memberRecord(whole, 'delta');
    block.merge(delta);
    const passing = delta.members.some(({ name }) => name !== 'type' && PASSING.has(name));
    if (passing || size(value) > 3) this.#unread.keep(event, data);
  }

  /** The text of a block whose start never came is still text. */
  #unannounced(index: unknown, delta: string): StreamBlock | undefined {
    const type = plainField(delta);
    if (type === undefined) return undefined;
    return this.#add(index, parseTree(`{"type":"${type}","${type}":""}`) as RecordNode, type);
  }

  #add(index: unknown, tree: RecordNode, type: string): StreamBlock {
    const block = new StreamBlock(tree, type);
    this.#blocks.push(block);
    this.#byIndex.set(index, block);
    return block;
  }

  #blockStart(event: string | undefined, data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    if (!isObject(value.content_block)) return undefined;
    const tree = memberRecord(recordOf(data), 'content_block');
    if (size(value) > 3) this.#unread.keep(event, data);
    return this.#begin(value.index, tree, value.content_block);
  }

  #begin(index: unknown, tree: RecordNode, block: JsonObject): readonly StreamEvent[] {
    this.#add(index, tree, typeof block.type === 'string' ? block.type : '');
    return startEvents(index, block);
  }

  #blockStop(event: string | undefined, data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    const block = this.#byIndex.get(value.index);
    if (!block) return undefined;
    block.stop();
    if (size(value) > 2) this.#unread.keep(event, data);
    return NO_EVENTS;
  }

  #messageStart(event: string | undefined, data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    const { message } = value;
    if (!isObject(message) || this.#envelope.started) return undefined;
    const tree = memberRecord(recordOf(data), 'message');
    this.#envelope.start(tree);
    if (size(value) > 2) this.#unread.keep(event, data);
    const content = tree.members.findLast((member) => member.name === 'content')?.value;
    if (content?.kind !== 'list' || !Array.isArray(message.content)) return NO_EVENTS;
    // Calls that running code makes come whole with the start (recorded).
    const values: unknown[] = message.content;
    return content.items.flatMap((item, index) => {
      const block = values[index];
      return item.kind === 'record' && isObject(block) ? this.#begin(index, item, block) : [];
    });
  }

  #messageDelta(data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    const whole = recordOf(data);
    if (isObject(value.delta)) this.#envelope.update(memberRecord(whole, 'delta'));
    this.#envelope.update(membersBut(whole, isObject(value.delta) ? ['type', 'delta'] : ['type']));
    return NO_EVENTS;
  }

  #error(event: string | undefined, data: string, value: JsonObject): readonly StreamEvent[] {
    this.#unread.keep(event, data);
    const error = isObject(value.error) ? value.error : {};
    this.#failure = { reason: 'error', native: typeof error.type === 'string' ? error.type : undefined };
    const message = typeof error.message === 'string' ? error.message : 'the provider reported an error';
    return [{ type: 'error', message, native: data }];
  }
}
