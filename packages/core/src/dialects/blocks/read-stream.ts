import {
  isObject,
  parseJson,
  parseTree,
  printTree,
  recordNode,
  setMember,
  textAt,
  textNode,
} from '../../json/index.ts';
import type { Assembler } from '../dialect.ts';
import { type StreamEvent, UnreadEvents } from '../stream/index.ts';
import { readReply } from './read-response.ts';

const NOTHING: readonly StreamEvent[] = [];

/**
 * `{"type":"text","text":…}` and `{"type":"reasoning","text":…}` continue the block of that type or begin one;
 * `{"type":"block","block":{…}}` adds a whole block; `{"type":"finish",…}` ends the stream, its other members are
 * the envelope.
 */
export function assemble(): Assembler {
  const blocks: { type: string; pieces: string[] | undefined; text: string }[] = [];
  const unread = new UnreadEvents();
  let finish: string | undefined;

  const append = (type: 'text' | 'reasoning', data: string, text: string): readonly StreamEvent[] => {
    const piece = textAt(data, ['text'])!.slice(1, -1);
    const last = blocks.at(-1);
    if (last?.pieces && last.type === type) last.pieces.push(piece);
    else blocks.push({ type, pieces: [piece], text: '' });
    return [{ type, text }];
  };

  return {
    push(event, data) {
      let value: unknown;
      try {
        value = parseJson(data);
      } catch {
        return unread.keep(event, data);
      }
      if (!isObject(value)) return unread.keep(event, data);
      if ((value.type === 'text' || value.type === 'reasoning') && typeof value.text === 'string')
        return append(value.type, data, value.text);
      if (value.type === 'block' && isObject(value.block)) {
        blocks.push({ type: 'block', pieces: undefined, text: textAt(data, ['block'])! });
        const { id, name, type } = value.block;
        const isCall = type === 'tool-use' && typeof id === 'string' && typeof name === 'string';
        return isCall ? [{ type: 'tool-use', index: blocks.length - 1, id, name }] : NOTHING;
      }
      if (value.type !== 'finish') return unread.keep(event, data);
      finish = data;
      return NOTHING;
    },
    finish() {
      const content = blocks.map(({ type, pieces, text }) => (pieces ? blockFrom(type, pieces) : text));
      const raw = `{"role":"assistant","content":[${content.length > 0 ? content.join(',') : '{"type":"text","text":""}'}]}`;
      const envelope = parseTree(finish ?? '{"stop":"cut"}');
      const record = envelope.kind === 'record' ? envelope : recordNode();
      setMember(record, 'message', parseTree(raw));
      unread.addTo(record);
      return { ...readReply(printTree(record)), cut: finish === undefined };
    },
  };
}

function blockFrom(type: string, pieces: string[]): string {
  const record = recordNode();
  setMember(record, 'type', textNode(type));
  setMember(record, 'text', textNode(...pieces));
  return printTree(record);
}
