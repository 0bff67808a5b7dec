import type { Reply } from '@skein/core';
import { type BlockEvent, createMessage } from '@skein/core/dialect';
import type { AnswerSource } from './answer.ts';

/**
 * Ends an answer before the first of these texts, for providers that have no stop sequences. Of a stream, only what may be
 * the beginning of one is held back; the upstream is left when one has come.
 */
export function cutAtStops(source: AnswerSource, stops: readonly string[]): AnswerSource {
  const sequences = stops.filter((stop) => stop !== '');
  if (sequences.length === 0) return source;
  return {
    ...source,
    events: cutEvents(source.events, sequences),
    reply: () => cutReply(source.reply(), sequences),
  };
}

async function* cutEvents(
  batches: AsyncIterable<readonly BlockEvent[]>,
  stops: readonly string[],
): AsyncGenerator<readonly BlockEvent[]> {
  /** The end of a block's text that may become a stop sequence. */
  let held = { index: -1, text: '' };
  for await (const events of batches) {
    const passed: BlockEvent[] = [];
    for (const event of events) {
      const isText = event.type === 'text';
      if (held.text !== '' && 'index' in event && !(isText && event.index === held.index)) {
        passed.push({ type: 'text', ...held });
        held = { index: -1, text: '' };
      }
      if (!isText) {
        passed.push(event);
        continue;
      }
      const text = held.text + event.text;
      const end = findStop(text, stops);
      const sure = end < 0 ? text.length - openLength(text, stops) : end;
      if (sure > 0) passed.push({ ...event, text: text.slice(0, sure) });
      if (end >= 0) {
        yield passed;
        return;
      }
      held = { index: event.index, text: text.slice(sure) };
    }
    if (passed.length > 0) yield passed;
  }
  if (held.text !== '') yield [{ type: 'text', ...held }];
}

/** The reply as far as it goes before a stop sequence. The text that the provider wrote stays as it is. */
function cutReply(reply: Reply, stops: readonly string[]): Reply {
  const { content, raw, origin, role, facts } = reply.message;
  const last = content.findIndex((block) => block.type === 'text' && findStop(block.text, stops) >= 0);
  const block = content[last];
  if (block?.type !== 'text') return reply;
  const text = block.text.slice(0, findStop(block.text, stops));
  const kept = [...content.slice(0, last), { type: 'text' as const, text }];
  const message = createMessage(raw, origin, () => ({ role, content: kept, needs: facts.needs }));
  return { ...reply, message, stop: { reason: 'stop-sequence', native: undefined } };
}

/** Where the first stop sequence begins; -1 if there is none. */
function findStop(text: string, stops: readonly string[]): number {
  const places = stops.map((stop) => text.indexOf(stop)).filter((place) => place >= 0);
  return places.length > 0 ? Math.min(...places) : -1;
}

/** The length of the longest end of a text that a stop sequence begins with. */
function openLength(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops)
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--)
      if (text.endsWith(stop.slice(0, length))) longest = length;
  return longest;
}
