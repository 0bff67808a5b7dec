import {
  ensureMember,
  isObject,
  type JsonObject,
  parseTree,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  textAt,
  textNode,
} from '../../json/index.ts';
import { type ContentBlock, viewBlocks } from '../../message/index.ts';
import type { Assembler } from '../dialect.ts';
import { blockEnd, type StreamEvent } from '../stream/events.ts';
import { errorEvent, readEvent, UnreadEvents } from '../stream/read-event.ts';
import { readReply } from './read-response.ts';

/**
 * `{"type":"text","text":…}` and `{"type":"reasoning","text":…}` continue the block of that type or begin one;
 * `{"type":"start","block":{…}}` begins a block that such pieces continue, `{"type":"end",…}` adds members to it;
 * `{"type":"block","block":{…}}` adds a whole block; `{"type":"finish",…}` ends the stream, its other members are
 * the envelope.
 */
export function assemble(): Assembler {
  return new BlocksAssembler();
}

/** A block while it arrives; a whole one takes no pieces. */
interface StreamBlock {
  readonly type: unknown;
  readonly tree: RecordNode;
  isOpen: boolean;
  isEnded: boolean;
}

class BlocksAssembler implements Assembler {
  readonly #blocks: StreamBlock[] = [];
  readonly #unread = new UnreadEvents();
  #finish: string | undefined;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    return readEvent(this.#unread, event, data, (value) => this.#read(data, value));
  }

  finish(): ReturnType<Assembler['finish']> {
    const content = this.#blocks.map(({ tree }) => printTree(tree));
    const raw = `{"role":"assistant","content":[${content.length > 0 ? content.join(',') : '{"type":"text","text":""}'}]}`;
    const envelope = parseTree(this.#finish ?? '{"stop":"cut"}');
    const record = envelope.kind === 'record' ? envelope : recordNode();
    setMember(record, 'message', parseTree(raw));
    this.#unread.addTo(record);
    return { ...readReply(printTree(record)), cut: this.#finish === undefined };
  }

  #read(data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    const { type, text, block } = value;
    const events: StreamEvent[] = [];
    if ((type === 'text' || type === 'reasoning') && typeof text === 'string') {
      const open = this.#blocks.at(-1);
      const isSame = open?.isOpen && open.type === type;
      const begun = (): RecordNode => parseTree(`{"type":"${type}","text":""}`) as RecordNode;
      const { tree } = isSame ? open : this.#begin({ type }, begun(), true, events);
      ensureMember(tree, 'text', textNode).pieces.push(textAt(data, ['text'])!.slice(1, -1));
      events.push({ type, index: this.#blocks.length - 1, text });
      return events;
    }
    if ((type === 'block' || type === 'start') && isObject(block)) {
      const isOpen = type === 'start';
      this.#begin(block, parseTree(textAt(data, ['block'])!) as RecordNode, isOpen, events);
      if (!isOpen) this.#end(events);
      return events;
    }
    if (type === 'end') {
      const open = this.#blocks.at(-1);
      if (!open?.isOpen) return undefined;
      for (const { name, value: member } of (parseTree(data) as RecordNode).members)
        if (name !== 'type') setMember(open.tree, name, member);
      this.#end(events);
      return events;
    }
    if (type === 'error') {
      this.#unread.keep(undefined, data);
      return [errorEvent(value.error, data)];
    }
    if (type !== 'finish') return undefined;
    this.#finish = data;
    this.#end(events);
    const { usage, choices } = readReply(`{"message":{"role":"assistant","content":[]},${data.trimStart().slice(1)}`);
    if (usage) events.push({ type: 'usage', usage });
    events.push({ type: 'stop', stop: choices[0]!.stop });
    return events;
  }

  #begin(value: JsonObject, tree: RecordNode, isOpen: boolean, events: StreamEvent[]): StreamBlock {
    this.#end(events);
    const { type, id, name } = value;
    const block: StreamBlock = { type, tree, isOpen, isEnded: false };
    const index = this.#blocks.push(block) - 1;
    events.push({ type: 'block-start', index, kind: viewBlock(block).type });
    if (type === 'tool-use' && typeof id === 'string' && typeof name === 'string')
      events.push({ type: 'tool-use', index, call: index, id, name });
    return block;
  }

  /** Tells that the last block is complete, once. */
  #end(events: StreamEvent[]): void {
    const index = this.#blocks.length - 1;
    const block = this.#blocks[index];
    if (!block || block.isEnded) return;
    block.isEnded = true;
    block.isOpen = false;
    events.push(
      blockEnd(
        index,
        () => viewBlock(block),
        () => printTree(block.tree),
      ),
    );
  }
}

/** What a block shows as far as it came. */
function viewBlock({ tree }: StreamBlock): ContentBlock {
  return viewBlocks(`{"role":"assistant","content":[${printTree(tree)}]}`).content[0]!;
}
