import { type Edit, find, isObject, parseJson, splice } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { EMPTY_MESSAGE } from './native-message.ts';
import { stopOf } from './stop.ts';
import { usageOf } from './usage.ts';

export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.choices)) throw notAReply(value, body);
  const edits: Edit[] = [];
  const choices = value.choices.map((choice: unknown, index) => {
    const { message, finish_reason: word } = isObject(choice) ? choice : {};
    const range = isObject(message) ? find(body, ['choices', index, 'message']) : undefined;
    if (range) edits.push({ start: range.start, end: range.end, text: 'null' });
    const raw = range ? body.slice(range.start, range.end) : EMPTY_MESSAGE;
    return { raw, stop: stopOf(word, raw) };
  });
  const nothing = { raw: EMPTY_MESSAGE, stop: { reason: 'unknown', native: undefined } } as const;
  return {
    choices: choices.length > 0 ? choices : [nothing],
    usage: usageOf(value, body),
    envelope: splice(body, edits),
    model: modelOf(value.model),
  };
}

/** Some compatible providers leave the model blank. */
export function modelOf(model: unknown): string | undefined {
  return typeof model === 'string' && model !== '' ? model : undefined;
}

function notAReply(value: unknown, body: string): ProtocolError {
  const problem =
    isObject(value) && value.error !== undefined && value.error !== null
      ? `the body is an error: ${errorMessage(value.error)}`
      : 'the body has no "choices"';
  return new ProtocolError('openai-chat', problem, body);
}

/** What an error says, whatever shape it has. */
export function errorMessage(error: unknown): string {
  if (typeof error === 'string') return error;
  return isObject(error) && typeof error.message === 'string' ? error.message : JSON.stringify(error);
}
