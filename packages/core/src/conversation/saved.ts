import type { Manifest } from '../dialects/index.ts';
import type { Facts, Message, Origin } from '../message/index.ts';
import type { Checkpoint } from '../run/index.ts';

/** The saved form of a list of messages. */
export interface SavedMessages {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  /** Version of the rule that made `facts`; with another one they are made again from the texts. */
  readonly facts: typeof FACTS_VERSION;
  readonly origins: readonly Origin[];
  readonly messages: readonly SavedMessage[];
  /** Of the last request, so that the next one need not translate the history again. */
  readonly manifest?: Manifest;
  /** What is sent in place of the front of the list. */
  readonly checkpoints?: readonly Checkpoint[];
}

export interface SavedMessage {
  /** Index in `origins`. */
  readonly origin: number;
  /** The exact text, as a string: it survives whatever stores or re-indents the file. */
  readonly raw: string;
  readonly facts: Facts;
}

export const FORMAT = 'skein/messages';
export const VERSION = 1;
export const FACTS_VERSION = 1;

/** What was saved, where a database gives it as bytes; anything else as it is. Throws on bytes that are no UTF-8. */
export function decodeSaved(saved: unknown): unknown {
  return ArrayBuffer.isView(saved) ? new TextDecoder('utf-8', { fatal: true }).decode(saved as Uint8Array) : saved;
}

export function toSaved(
  messages: readonly Message[],
  manifest: Manifest | undefined,
  checkpoints: readonly Checkpoint[],
): SavedMessages {
  const origins = new Map<string, { readonly index: number; readonly origin: Origin }>();
  const indexOf = (origin: Origin): number => {
    const key = JSON.stringify(origin);
    const known = origins.get(key) ?? { index: origins.size, origin };
    origins.set(key, known);
    return known.index;
  };
  const saved = messages.map(({ raw, origin, facts }) => ({ origin: indexOf(origin), raw, facts }));
  return {
    format: FORMAT,
    version: VERSION,
    facts: FACTS_VERSION,
    origins: [...origins.values()].map(({ origin }) => origin),
    messages: saved,
    ...(manifest && { manifest }),
    ...(checkpoints.length > 0 && { checkpoints }),
  };
}
