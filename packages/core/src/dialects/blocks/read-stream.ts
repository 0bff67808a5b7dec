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
import type { Assembler } from '../dialect.ts';
import { BOUNDARY, errorEvent, NO_EVENTS, readEvent, type StreamEvent, UnreadEvents } from '../stream.ts';
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
    const open = this.#blocks.at(-1);
    if ((type === 'text' || type === 'reasoning') && typeof text === 'string') {
      const isSame = open?.isOpen && open.type === type;
      if (!isSame) this.#begin({ type }, `{"type":"${type}","text":""}`, true);
      const { tree } = this.#blocks.at(-1)!;
      ensureMember(tree, 'text', textNode).pieces.push(textAt(data, ['text'])!.slice(1, -1));
      return isSame ? [{ type, text }] : [BOUNDARY, { type, text }];
    }
    switch (type) {
      case 'block':
      case 'start':
        if (!isObject(block)) return undefined;
        return [
          ...this.#begin(block, textAt(data, ['block'])!, type === 'start'),
          ...(type === 'block' ? [BOUNDARY] : []),
        ];
      case 'end':
        if (!open?.isOpen) return undefined;
        open.isOpen = false;
        for (const { name, value: member } of (parseTree(data) as RecordNode).members)
          if (name !== 'type') setMember(open.tree, name, member);
        return [BOUNDARY];
      case 'error':
        this.#unread.keep(undefined, data);
        return [errorEvent(value.error, data)];
      case 'finish':
        this.#finish = data;
        return NO_EVENTS;
      default:
        return undefined;
    }
  }

  #begin({ type, id, name }: JsonObject, text: string, isOpen: boolean): StreamEvent[] {
    const index = this.#blocks.push({ type, tree: parseTree(text) as RecordNode, isOpen }) - 1;
    const isCall = type === 'tool-use' && typeof id === 'string' && typeof name === 'string';
    return isCall ? [{ type, index, id, name }] : [];
  }
}
