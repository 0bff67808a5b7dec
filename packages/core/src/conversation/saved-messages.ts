import type { Manifest } from '../dialects/index.ts';
import { SkeinError } from '../error.ts';
import { isObject } from '../json/index.ts';
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

/** A message as it is saved. */
interface SavedMessage {
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

/** A saved list that cannot be read: what is wrong, and where. */
export class MessageListDeserializationError extends SkeinError {
  override readonly name = 'MessageListDeserializationError';
  readonly code = 'unreadable_messages';
  /** The message at fault, where there is one. */
  readonly index: number | undefined;
  /** The version of the list, where that is what cannot be read, and those that can. */
  readonly version: unknown;
  readonly supported: readonly (number | string)[];

  constructor(
    problem: string,
    about: {
      readonly index?: number;
      readonly cause?: unknown;
      readonly version?: unknown;
      readonly supported?: readonly (number | string)[];
    } = {},
  ) {
    const { index, cause, version, supported = [] } = about;
    super(index === undefined ? `Cannot read messages: ${problem}` : `Cannot read message ${index}: ${problem}`, {
      cause,
    });
    this.index = index;
    this.version = version;
    this.supported = supported;
  }
}

// What was saved may have been edited, or cut short. What is derived and not whole is made again from the texts.

export function isOrigin(value: unknown): value is Origin {
  return isObject(value) && typeof value.dialect === 'string' && typeof value.issuer === 'string';
}

export function isFacts(value: unknown): value is Facts {
  return (
    isObject(value) &&
    typeof value.role === 'string' &&
    typeof value.digest === 'string' &&
    isList(value.calls, (call) => isObject(call) && isText(call.id) && isText(call.name)) &&
    isList(value.results, isText) &&
    isList(value.needs, isText)
  );
}

export function isCheckpoint(value: unknown): value is Checkpoint {
  return (
    isObject(value) && isIndex(value.upTo) && typeof value.digest === 'string' && isList(value.replacement, isText)
  );
}

/** A manifest of another version is no help, either; the history is then written anew. */
export function isManifest(value: unknown): value is Manifest {
  if (!isObject(value) || value.version !== 1 || !isList(value.messages, isText)) return false;
  const { dialect, issuer, model, head, tail, start, account = '' } = value;
  const most = (value.messages as unknown[]).length;
  const isMessage = (index: unknown) => isIndex(index) && (index as number) < most;
  const isPiece = (piece: unknown) =>
    isText(piece) || (isObject(piece) && isMessage(piece.message) && isIndex(piece.start) && isIndex(piece.end));
  return (
    isList([dialect, issuer, model, head, tail, start, account], isText) &&
    isList(value.refused, isText) &&
    isList(value.losses, isObject) &&
    isList(
      value.elements,
      (element) =>
        isObject(element) &&
        isList(element.of, isMessage) &&
        isList(element.pieces, isPiece) &&
        isList(element.plain ?? [], isPiece),
    )
  );
}

function isList(value: unknown, is: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isIndex(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}

/**
 * How messages were sent, without what stood around them: system, tools and parameters are not to be saved. Where the
 * system text is the first element, nothing is left: what the rest was sent as is then written again, by the same rules.
 */
export function stripFrame(manifest: Manifest | undefined): Manifest | undefined {
  if (!manifest || manifest.elements[0]?.of.length === 0) return undefined;
  return { ...manifest, head: '', tail: '' } as Manifest;
}
