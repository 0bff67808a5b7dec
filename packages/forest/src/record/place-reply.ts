import type { Place } from '../forest/make-records.ts';
import type { TakeFacts } from '../forest/types.ts';
import { type StoreRecord, sha256, type TakeContext } from '../model/index.ts';
import type { Exchange } from './exchange.ts';
import { growPath } from './grow.ts';
import type { Answer } from './read-answer.ts';
import type { KnownResponse, RecordedIndex } from './recorded-index.ts';

export interface ReplyTo {
  readonly turn: KnownResponse['turn'];
  /** The exchange that brought the reply: the one that asked, or a later one. */
  readonly brought: Exchange;
  readonly below: Place;
  readonly thread: string;
  readonly otherSystem: boolean;
  readonly context: TakeContext;
}

/** Hangs a reply and its alternatives below the history they answer. */
export function placeReply(
  index: RecordedIndex,
  answer: Answer,
  { turn, brought, below, thread, otherSystem, context }: ReplyTo,
): { readonly ids: readonly string[]; readonly records: readonly StoreRecord[] } {
  const ids: string[] = [];
  const records: StoreRecord[] = [];
  for (const [at, { message, stop }] of answer.replies.entries()) {
    const facts = takeOfReply(turn, brought, otherSystem);
    const take: TakeFacts & { at: number } = {
      ...facts,
      model: message.origin.model ?? turn.model ?? '',
      stop,
      thread,
      context,
      envelope: sha256(answer.envelope),
      // What was spent is said once: of the reply, not of each alternative.
      ...(at === 0 && answer.usage && { usage: answer.usage }),
      // What was signed under another system text is bound to a prefix that this path does not have.
      origin: otherSystem ? { ...message.origin, prefix: `recorded:${turn.exchange.id}` } : message.origin,
    };
    // Choices of one moment stay in their order.
    const grown = growPath(index, below, [message], take, take.at + at / 1000);
    ids.push(...grown.ids);
    records.push(...grown.records);
  }
  if (ids.length > 0) records.unshift({ k: 'body', digest: sha256(answer.envelope), text: answer.envelope });
  return { ids, records };
}

function takeOfReply(
  { exchange, params }: ReplyTo['turn'],
  brought: Exchange,
  otherSystem: boolean,
): TakeFacts & { at: number } {
  const { start, firstByte, end, provider, tags } = exchange;
  const requestId = requestIdIn(brought.responseHeaders ?? {});
  const extra = {
    ...(otherSystem && { otherSystem }),
    ...(tags.length > 0 && { tags }),
    ...(brought !== exchange && { broughtBy: brought.id }),
  };
  return {
    via: 'record',
    author: 'model',
    at: brought.end ?? brought.start,
    exchange: exchange.id,
    ...(provider !== undefined && { provider }),
    ...(Object.keys(params).length > 0 && { params: { ...params } }),
    ...(firstByte !== undefined && { firstEventMs: firstByte - start }),
    ...(end !== undefined && { durationMs: (brought.end ?? end) - start }),
    ...(requestId !== undefined && { requestId }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function requestIdIn(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name]) => /request-?id$/.test(name))?.[1];
}
