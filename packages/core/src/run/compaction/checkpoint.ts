import { dialect } from '../../dialects/index.ts';
import { CallTracker } from '../../dialects/write/tool-calls.ts';
import { digest as digestOf } from '../../json/index.ts';
import { blocksMessage, type Message, type Origin } from '../../message/index.ts';

/** What is sent in place of the front of a history. Stored beside it; the history itself stays as it is. */
export interface Checkpoint {
  /** For how many messages at the front it stands. */
  readonly upTo: number;
  /** Of all of them: `rangeDigest`. */
  readonly digest: string;
  /** The messages sent instead: texts in Skein's own content-block JSON, or in the words of another dialect. */
  readonly replacement: readonly (string | NativeText)[];
}

/** A message as a recorded client sent it. */
interface NativeText {
  readonly dialect: string;
  readonly raw: string;
  readonly origin?: Partial<Origin>;
}

/**
 * The history with the checkpoint in place of what it stands for; undefined when it is not of this history, or
 * nothing would follow it. System messages at the very front stay.
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

/** Tells whether the first messages are still the same. */
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

/** How many system messages stand before all others. */
export function leadingSystem(messages: readonly Message[]): number {
  const end = messages.findIndex(({ role }) => role !== 'system');
  return end < 0 ? messages.length : end;
}

/**
 * Where a history may be cut, ascending: before what a user says, with the user and system messages right before
 * that, and only where no result behind the cut answers a call before it.
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

/** For each index, whether a call before it has a result at or behind it. */
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
