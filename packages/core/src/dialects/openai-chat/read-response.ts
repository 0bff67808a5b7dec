import { type Edit, find, isObject, type JsonObject, parseJson, splice } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { errorMessage } from '../stream/index.ts';
import { EMPTY_MESSAGE } from './native-message.ts';
import { DIALECT } from './provider.ts';
import { stopOf } from './stop.ts';
import { usageOf } from './usage.ts';

export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.choices) || value.choices.length === 0) {
    const { error, choices } = isObject(value) ? value : {};
    const problem = choices ? '"choices" is empty' : 'the body has no "choices"';
    throw new ProtocolError(DIALECT, error ? errorMessage(error) : problem, body);
  }
  const edits: Edit[] = [];
  const choices = value.choices.map((choice: unknown, index) => {
    const { message, finish_reason: word } = isObject(choice) ? choice : {};
    const range = isObject(message) ? find(body, ['choices', index, 'message']) : undefined;
    if (range) edits.push({ start: range.start, end: range.end, text: 'null' });
    const raw = range ? body.slice(range.start, range.end) : EMPTY_MESSAGE;
    return { raw, stop: stopOf(word, raw) };
  });
  return replyOf(value, choices, splice(body, edits));
}

export function replyOf({ model, provider }: JsonObject, choices: RawReply['choices'], envelope: string): RawReply {
  // `provider` is the upstream, as OpenRouter has it.
  return { choices, usage: usageOf(envelope), envelope, model, upstream: provider };
}
