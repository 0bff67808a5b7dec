import { dialect } from '../../dialects/index.ts';
import { CallTracker } from '../../dialects/write/drafts.ts';
import { digest as digestOf } from '../../json/index.ts';
import { blocksMessage, type Message, type Origin } from '../../message/index.ts';

/** Replaces the front of a history in requests. It is stored beside the history, which stays as it is. */
export interface Checkpoint {
  /** How many messages at the front it replaces. */
  readonly upTo: number;
  /** The `rangeDigest` of these messages. */
  readonly digest: string;
  /** The messages that are sent instead: texts in Skein's own content-block JSON, or in another dialect. */
  readonly replacement: readonly (string | NativeText)[];
}

/** A message as a recorded client sent it. */
interface NativeText {
  readonly dialect: string;
  readonly raw: string;
  readonly origin?: Partial<Origin>;
}

/**
 * The history with the checkpoint in place of the messages it replaces; undefined when it belongs to another history, or
 * nothing would follow it. System messages at the very front stay.
 *
 * @example
 * const sent = applyCheckpoint(messages, checkpoint) ?? messages;
 */
export function applyCheckpoint(
  messages: readonly Message[],
  { upTo, digest, replacement }: Checkpoint,
): readonly Message[] | undefined {
  if (upTo >= messages.length || rangeDigest(messages, upTo) !== digest) return undefined;
  const leading = messages.slice(0, Math.min(leadingSystem(messages), upTo));
  return [...leading, ...replacement.map(readReplacement), ...messages.slice(upTo)];
}

export function readReplacement(text: string | NativeText): Message {
  return typeof text === 'string' ? blocksMessage(text) : dialect(text.dialect).parseMessage(text.raw, text.origin);
}

/**
 * A digest of the first messages, which tells whether they are still the same.
 *
 * @example
 * const isSame = rangeDigest(messages, checkpoint.upTo) === checkpoint.digest;
 */
export function rangeDigest(
  messages: readonly { readonly facts: { readonly digest: string } }[],
  upTo: number,
): string {
  return digestOf(
    messages
      .slice(0, upTo)
      .map(({ facts }) => facts.digest)
      .join(),
  );
}

/** How many system messages come before all others. */
export function leadingSystem(messages: readonly Message[]): number {
  const end = messages.findIndex(({ role }) => role !== 'system');
  return end < 0 ? messages.length : end;
}

/**
 * The indexes where a history may be cut, ascending: before a user message and the user and system messages right before
 * it, and only where no result after the cut answers a call before it.
 *
 * @example
 * const upTo = cutPoints(messages).at(-1);
 */
export function cutPoints(messages: readonly Message[]): readonly number[] {
  const crossed = crossings(messages);
  const cuts: number[] = [];
  let opening: number | undefined;
  for (let index = leadingSystem(messages) + 1; index < messages.length; index++) {
    const message = messages[index]!;
    if (!opens(message)) {
      opening = undefined;
      continue;
    }
    if (opening === undefined) opening = opens(messages[index - 1]!) ? -1 : index;
    // Messages in a row open one turn; those that open the history have nothing before them.
    if (message.role !== 'user' || opening < 0) continue;
    if (!crossed[opening]) cuts.push(opening);
    opening = -1;
  }
  return cuts;
}

function opens({ role, facts }: Message): boolean {
  return role === 'system' || (role === 'user' && facts.results.length === 0);
}

/** For each index, whether a call before it has a result at or after it. */
function crossings(messages: readonly Message[]): readonly boolean[] {
  const tracker = new CallTracker();
  /** By the call's id. */
  const madeAt = new Map<string, number>();
  const crossed: boolean[] = messages.map(() => false);
  messages.forEach((message, index) => {
    const { calls, results } = message.facts;
    if (calls.length === 0 && results.length === 0) return;
    const found = tracker.next(message, false);
    for (const id of results) {
      const call = found.find(id);
      const made = call && madeAt.get(call.id);
      if (made !== undefined) crossed.fill(true, made + 1, index + 1);
    }
    for (const { id } of calls) madeAt.set(id, index);
  });
  return crossed;
}
