import {
  type Dialect,
  decodeSse,
  elementTexts,
  isObject,
  type Message,
  type Origin,
  type Reply,
  type Stop,
  type Usage,
} from '@skein/core';
import { type KeptHistories, serving } from '@skein/core/dialect';
import { isMessage } from '../model/index.ts';
import { responseIdIn } from './response-id.ts';

/** What an answer says. */
export interface Answer {
  /** The reply first, then its alternatives; those that broke off before their first word are left out. */
  readonly replies: readonly { readonly message: Message; readonly stop: Stop }[];
  readonly stop: Stop;
  readonly usage: Usage | undefined;
  readonly envelope: string;
  /** Under which the API keeps it, where it does: later requests name it. */
  readonly responseId: string | undefined;
  /** It was only taken on: the reply comes later, in the answer to another request. */
  readonly pending: boolean;
}

/** Reads an answer whatever form it came in: whole, as events, or as Google's list of chunks. Fails on other texts. */
export function readAnswer(dialect: Dialect, text: string, origin: Partial<Origin>): Answer {
  const reply = replyOf(dialect, text, origin);
  const { message, alternatives, stop, usage, envelope } = reply;
  const { kept } = serving(dialect);
  const pending = kept !== undefined && stop.reason !== 'cut' && stop.reason !== 'error' && isPending(kept, envelope);
  return {
    replies: pending ? [] : [{ message, stop }, ...alternatives].filter(isMessage),
    stop,
    usage,
    envelope,
    responseId: kept && responseIdIn(dialect, envelope),
    pending,
  };
}

function replyOf(dialect: Dialect, text: string, origin: Partial<Origin>): Reply {
  if (/^\s*\{/.test(text)) return dialect.readResponse(text, origin);
  const reader = dialect.readStream(origin);
  if (/^\s*\[/.test(text)) for (const chunk of elementTexts(text)) reader.push(undefined, chunk);
  else {
    const decoder = decodeSse((event, data) => void reader.push(event, data));
    decoder.push(text);
    decoder.end();
  }
  return reader.finish();
}

/** Responses that run in the background are answered before they are there. */
function isPending(kept: KeptHistories, envelope: string): boolean {
  const value: unknown = JSON.parse(envelope);
  return isObject(value) && kept.isPending(value);
}
