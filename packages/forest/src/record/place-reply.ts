import type { TakeFacts } from '../forest/write/append.ts';
import type { Place } from '../forest/write/append-point.ts';
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
  if (answer.replies.length === 0) return { ids, records };
  const envelope = sha256(answer.envelope);
  records.push({ k: 'body', digest: envelope, text: answer.envelope });
  for (const [at, { message, stop }] of answer.replies.entries()) {
    const take: Draft = {
      via: 'record',
      author: 'model',
      at: brought.end ?? brought.start,
      exchange: turn.exchange.id,
      model: message.origin.model ?? turn.model ?? '',
      stop,
      thread,
      context,
      envelope,
      // What was signed under another system text is bound to a prefix that this path does not have.
      origin: otherSystem ? { ...message.origin, prefix: `recorded:${turn.exchange.id}` } : message.origin,
    };
    addFacts(take, turn, brought, otherSystem);
    // What was spent is said once: of the reply, not of each alternative.
    if (at === 0 && answer.usage) take.usage = answer.usage;
    // Choices of one moment stay in their order.
    const grown = growPath(index, below, [message], take, take.at + at / 1000);
    ids.push(...grown.ids);
    records.push(...grown.records);
  }
  return { ids, records };
}

/** Filled member by member: every exchange makes one, and spreading a part for each member costs more than all the rest. */
type Draft = { -readonly [Name in keyof TakeFacts]: TakeFacts[Name] } & { at: number };

function addFacts(take: Draft, { exchange, params }: ReplyTo['turn'], brought: Exchange, otherSystem: boolean): void {
  const { start, firstByte, end, provider, tags } = exchange;
  if (provider !== undefined) take.provider = provider;
  if (Object.keys(params).length > 0) take.params = { ...params };
  if (firstByte !== undefined) take.firstEventMs = firstByte - start;
  if (end !== undefined) take.durationMs = (brought.end ?? end) - start;
  const requestId = requestIdIn(brought.responseHeaders ?? {});
  if (requestId !== undefined) take.requestId = requestId;
  if (otherSystem || tags.length > 0 || brought !== exchange)
    take.extra = {
      ...(otherSystem && { otherSystem }),
      ...(tags.length > 0 && { tags }),
      ...(brought !== exchange && { broughtBy: brought.id }),
    };
}

function requestIdIn(headers: Readonly<Record<string, string>>): string | undefined {
  for (const name in headers) if (/request-?id$/.test(name)) return headers[name];
  return undefined;
}
