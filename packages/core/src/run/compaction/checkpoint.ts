import { dialect } from '../../dialects/index.ts';
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
export interface NativeText {
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
  return [...leading, ...replacement.map(messageIn), ...messages.slice(upTo)];
}

export function messageIn(text: string | NativeText): Message {
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
