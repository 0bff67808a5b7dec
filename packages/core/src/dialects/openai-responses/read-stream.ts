import { find, isObject, type JsonObject, parseTree, textAt } from '../../json/index.ts';
import type { Assembler, RawReply } from '../dialect.ts';
import type { StreamEvent } from '../stream/events.ts';
import { escapedPiece } from '../stream/piece.ts';
import { UnreadEvents } from '../stream/unread.ts';
import { deltaPiece } from './delta-piece.ts';
import { errorMessage, eventsOfItem, said, unseenEvents } from './item-events.ts';
import { replyOf } from './stream-end.ts';
import { StreamItem } from './stream-item.ts';
import {
  DELTAS,
  isKnown,
  isKnownMember,
  isProgress,
  PARTS,
  type PieceRule,
  SNAPSHOTS,
  TERMINAL,
  WHOLES,
} from './stream-rules.ts';
import { UnreadMembers } from './unread-members.ts';

const NOTHING: readonly StreamEvent[] = [];

/**
 * Puts a streamed response together. One source counts for each item, because the API encrypts anew for each event:
 * the terminal event (`response.completed`, `incomplete`, `failed`), else `output_item.done`, else what
 * `output_item.added` announced and the deltas brought.
 */
export function assemble(): Assembler {
  return new ResponseAssembler();
}

class ResponseAssembler implements Assembler {
  readonly #items: StreamItem[] = [];
  readonly #current = new Map<number, StreamItem>();
  readonly #unread = new UnreadEvents();
  readonly #members = new UnreadMembers();
  /** The response as the last event has it that carries one, and whether that was the terminal one. */
  #response: string | undefined;
  #isTerminal = false;
  #hasFailed = false;
  /** Where the last delta went: the next one nearly always goes there too. */
  #live: { type: string; index: unknown; part: unknown; pieces: string[]; item: StreamItem } | undefined;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      return data === '[DONE]' ? NOTHING : this.#unread.keep(event, data);
    }
    if (!isObject(value)) return this.#unread.keep(event, data);
    try {
      return this.#read(event, data, value);
    } catch {
      // Nested too deep to be taken apart.
      return this.#unread.keep(event, data);
    }
  }

  finish(): RawReply & { readonly cut: boolean } {
    return replyOf({
      items: this.#items,
      response: this.#response,
      isTerminal: this.#isTerminal,
      hasFailed: this.#hasFailed,
      unread: this.#unread,
      members: this.#members,
    });
  }

  #read(event: string | undefined, data: string, value: JsonObject): readonly StreamEvent[] {
    const type = typeof value.type === 'string' ? value.type : (event ?? '');
    for (const name in value) {
      if (isKnownMember(name)) continue;
      if (isKnown(type)) this.#members.add(type, data);
      else if (isObject(value.error)) return this.#error(event, data, value);
      break;
    }
    const delta = DELTAS.get(type);
    if (delta && typeof value.delta === 'string') return this.#delta(type, data, value, value.delta, delta);
    if (type === 'response.output_item.added' && isObject(value.item)) return this.#added(data, value, value.item);
    if (type === 'response.output_item.done' && isObject(value.item)) return this.#done(data, value, value.item);
    if (TERMINAL.has(type) && isObject(value.response)) return this.#terminal(data, value.response);
    if (SNAPSHOTS.has(type) && isObject(value.response)) {
      if (!this.#isTerminal) this.#response = textAt(data, ['response']);
      return NOTHING;
    }
    if (type === 'error') return this.#error(event, data, value);
    return this.#merge(type, data, value) || isProgress(type) ? NOTHING : this.#unread.keep(event, data);
  }

  #delta(type: string, data: string, value: JsonObject, text: string, rule: PieceRule): readonly StreamEvent[] {
    const part = value.content_index ?? value.summary_index ?? value.command_index;
    const index = value.output_index;
    const piece = deltaPiece(data, text);
    let live = this.#live;
    if (!live || live.type !== type || live.index !== index || live.part !== part) {
      const item = this.#itemFor(value);
      live = { type, index, part, item, pieces: item.stringAt(rule.path(value), rule.item, rule.part).pieces };
      this.#live = live;
    }
    live.pieces.push(piece);
    if (Array.isArray(value.logprobs) && value.logprobs.length > 0) this.#append(data, value, 'logprobs');
    return rule.says === undefined ? NOTHING : said(rule.says, live.item, text, piece);
  }

  #added(data: string, value: JsonObject, item: JsonObject): readonly StreamEvent[] {
    const before = this.#current.get(indexOf(value));
    if (before && !before.isDone && before.id === item.id) return NOTHING;
    const added = this.#start(indexOf(value), item, textAt(data, ['item']));
    if ((item.type !== 'function_call' && !added.isCustom) || typeof item.name !== 'string') return NOTHING;
    const id = typeof item.call_id === 'string' ? item.call_id : '';
    return [{ type: 'tool-use', index: added.index, id, name: item.name }];
  }

  #done(data: string, value: JsonObject, item: JsonObject): readonly StreamEvent[] {
    const before = this.#current.get(indexOf(value));
    const slot = before && !before.isDone ? before : this.#start(indexOf(value), item, undefined);
    const text = textAt(data, ['item'])!;
    slot.complete(text);
    this.#live = undefined;
    if (slot.hasSpoken) return slot.isCustom ? [{ type: 'tool-arguments', index: slot.index, text: '"}' }] : NOTHING;
    return eventsOfItem(text, item, slot.index, slot.isAnnounced);
  }

  #terminal(data: string, response: JsonObject): readonly StreamEvent[] {
    this.#response = textAt(data, ['response']);
    this.#isTerminal = true;
    this.#live = undefined;
    const failed = response.status === 'failed';
    if (failed) this.#hasFailed = true;
    const news = this.#items.length === 0 ? unseenEvents(this.#response!, response) : NOTHING;
    return failed ? [...news, { type: 'error', message: errorMessage(response), native: data }] : news;
  }

  #error(event: string | undefined, data: string, value: JsonObject): readonly StreamEvent[] {
    this.#hasFailed = true;
    this.#unread.keep(event, data);
    return [{ type: 'error', message: errorMessage(value), native: data }];
  }

  /** What only an item needs that is cut before it is done. False for events of other types. */
  #merge(type: string, data: string, value: JsonObject): boolean {
    if (this.#current.get(indexOf(value))?.isDone) return isKnown(type);
    const whole = WHOLES.get(type);
    const text = whole && value[whole.whole];
    if (whole && typeof text === 'string') {
      const { pieces } = this.#itemFor(value).stringAt(whole.path(value), whole.item, whole.part);
      pieces.splice(0, pieces.length, escapedPiece(data, [whole.whole], text));
      return true;
    }
    const part = PARTS.get(type);
    if (part && isObject(value.part)) {
      const at = value[part.index];
      const tree = parseTree(textAt(data, ['part'])!);
      const itemType = part.list === 'summary' ? 'reasoning' : 'message';
      this.#itemFor(value).setPart(part.list, typeof at === 'number' ? at : 0, tree, part.isWhole, itemType);
      this.#live = undefined;
      return true;
    }
    if (type !== 'response.output_text.annotation.added' || value.annotation === undefined) return false;
    this.#append(data, value, 'annotation');
    return true;
  }

  #append(data: string, value: JsonObject, name: 'annotation' | 'logprobs'): void {
    const at = typeof value.content_index === 'number' ? value.content_index : 0;
    const tree = parseTree(data, find(data, [name])!.start);
    const [list, values] = name === 'logprobs' && tree.kind === 'list' ? [name, tree.items] : ['annotations', [tree]];
    this.#itemFor(value).append(at, list, values, 'message');
  }

  #itemFor(value: JsonObject): StreamItem {
    const index = typeof value.output_index === 'number' ? value.output_index : (this.#items.at(-1)?.index ?? 0);
    return this.#current.get(index) ?? this.#start(index, {}, undefined);
  }

  #start(index: number, item: JsonObject, added: string | undefined): StreamItem {
    const started = new StreamItem(index, item.id, item.type === 'custom_tool_call', added);
    this.#items.push(started);
    this.#current.set(index, started);
    this.#live = undefined;
    return started;
  }
}

function indexOf(value: JsonObject): number {
  return typeof value.output_index === 'number' ? value.output_index : 0;
}
