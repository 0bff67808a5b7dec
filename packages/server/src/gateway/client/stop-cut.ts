import { dialect, find, isObject, type Message, parseJson, type Reply, splice } from '@skein/core';
import { type BlockEvent, createMessage } from '@skein/core/dialect';
import type { AnswerSource } from './answer.ts';

type Path = Parameters<typeof find>[1];

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
      if (sure > 0) passed.push({ type: 'text', index: event.index, text: text.slice(0, sure) });
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

/** The reply as far as it goes before a stop sequence. */
function cutReply(reply: Reply, stops: readonly string[]): Reply {
  const { content, raw, origin, role, facts } = reply.message;
  const last = content.findIndex((block) => block.type === 'text' && findStop(block.text, stops) >= 0);
  const block = content[last];
  if (block?.type !== 'text') return reply;
  const text = block.text.slice(0, findStop(block.text, stops));
  const kept = [...content.slice(0, last), { type: 'text' as const, text }];
  const length = kept.reduce((sum, one) => sum + (one.type === 'text' ? one.text.length : 0), 0);
  // Where its own text cannot be cut, no provider may get it back.
  const asShown = () =>
    createMessage(raw, { ...origin, issuer: CUT }, () => ({ role, content: kept, needs: facts.needs }));
  const message = cutMessage(reply.message, length) ?? asShown();
  return { ...reply, message, stop: { reason: 'stop-sequence', native: undefined } };
}

/** Who wrote a message whose own text says more than the client got. */
const CUT = 'skein-gateway';

/**
 * A message that ends after so many characters of its text, in its own text as well, so that its provider gets back what the
 * client saw and no more. Undefined where more than the end of one text would have to be cut, or all of it.
 */
export function cutMessage({ content, raw, origin }: Message, length: number): Message | undefined {
  let end = 0;
  const at = content.findIndex((block) => {
    end += block.type === 'text' ? block.text.length : 0;
    return end > length;
  });
  const block = content[at];
  if (block?.type !== 'text' || content.slice(at + 1).some(({ type }) => type !== 'reasoning')) return undefined;
  const text = block.text.slice(0, block.text.length - (end - length));
  const [path, ...others] = findText(parseJson(raw), block.text);
  const range = path && find(raw, path);
  if (!range || others.length > 0 || text.trim() === '') return undefined;
  return dialect(origin.dialect).parseMessage(splice(raw, [{ ...range, text: JSON.stringify(text) }]), origin);
}

/** Where a text stands in a value. */
function findText(value: unknown, text: string, path: Path = []): readonly Path[] {
  if (value === text) return [path];
  if (Array.isArray(value)) return value.flatMap((one, at) => findText(one, text, [...path, at]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => findText(one, text, [...path, name]));
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
