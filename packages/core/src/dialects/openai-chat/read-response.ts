import { type Edit, find, isObject, type JsonObject, parseJson, splice } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { ProtocolError, type Stop } from '../reply.ts';
import { errorMessage } from '../stream/index.ts';
import { EMPTY_MESSAGE } from './native-message.ts';
import { DIALECT } from './provider.ts';
import { stopOf } from './stop.ts';
import { usageOf } from './usage.ts';

export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.choices)) {
    const { error } = isObject(value) ? value : {};
    throw new ProtocolError(DIALECT, error ? errorMessage(error) : 'the body has no "choices"', body);
  }
  const edits: Edit[] = [];
  const choices = value.choices.map((choice: unknown, index) => {
    const { message, finish_reason: word } = isObject(choice) ? choice : {};
    const range = isObject(message) ? find(body, ['choices', index, 'message']) : undefined;
    if (range) edits.push({ start: range.start, end: range.end, text: 'null' });
    const raw = range ? body.slice(range.start, range.end) : EMPTY_MESSAGE;
    return { raw, stop: stopOf(word, raw) };
  });
  return replyOf(value, choices, { reason: 'unknown', native: undefined }, splice(body, edits));
}

/** `otherwise` is why there is no choice at all. */
export function replyOf(
  { model, provider }: JsonObject,
  choices: RawReply['choices'],
  otherwise: Stop,
  envelope: string,
): RawReply {
  return {
    choices: choices.length > 0 ? choices : [{ raw: EMPTY_MESSAGE, stop: otherwise }],
    usage: usageOf(envelope),
    envelope,
    model,
    // As OpenRouter has it.
    upstream: provider,
  };
}
