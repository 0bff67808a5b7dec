import type { Alternative, Facts, Origin, Stop, Usage } from '@skein/core';

/**
 * What a store keeps: one line of a segment, one row of a table. Records never change. Nodes, bodies and takes are
 * named by their content, so writing one twice changes nothing; of refs and entries with the same name the one with
 * the later `clock` counts. Records of unknown kinds are kept.
 */
export type StoreRecord = NodeRecord | BodyRecord | TakeRecord | RefRecord | EntryRecord;

/** A message after a history. */
export interface NodeRecord {
  readonly k: 'node';
  /** By the id rule: of the parent, the dialect and the text. */
  readonly id: string;
  readonly parent: string;
  /** How many messages its history has, itself included. */
  readonly depth: number;
  readonly dialect: string;
  /** `digest` of the body that holds its exact text. */
  readonly body: string;
  /** By the echo rule, with the rule's version in front: `1:…`. */
  readonly echo: string;
  /** The node that ends the system messages at the front of its history; the root when there are none. */
  readonly lead: string;
  /** What sending needs to know of the text, so that it need not be parsed; `facts.digest` is `body`. */
  readonly facts: Omit<Facts, 'digest'>;
  /**
   * When it was first written, in milliseconds, not part of its identity. Siblings of one millisecond differ by thousandths
   * of it, in the order they were made.
   */
  readonly at: number;
}

/** A text that others name by its SHA-256: a message, a stored manifest, the head of a request, an envelope. */
export interface BodyRecord {
  readonly k: 'body';
  readonly digest: string;
  readonly text: string;
}

/** How a node came to be. One node can have several. */
export interface TakeRecord {
  readonly k: 'take';
  /** Of everything else in the record. */
  readonly id: string;
  readonly node: string;
  readonly at: number;
  /** Whose words these are. A history that a client sent says nothing of who wrote what: `unknown`. */
  readonly author: 'person' | 'model' | 'tool' | 'unknown';
  readonly via: 'append' | 'generate' | 'record' | 'import' | 'edit' | 'split' | 'graft' | 'keep-children';
  readonly origin: Origin;
  /** The node that this one was made from by an edit, or that it took the place of. */
  readonly from?: string;
  /** It was carried over from a node that was moved: the take it first was, and how that one came to be. */
  readonly carried?: { readonly take: string; readonly via: TakeRecord['via']; readonly from?: string };
  readonly provider?: string;
  readonly model?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly usage?: Usage;
  /** The usage was estimated, because the reply was cut before it came. */
  readonly estimated?: boolean;
  /** US dollars; absent when the price is not known. */
  readonly cost?: number;
  readonly firstEventMs?: number;
  readonly durationMs?: number;
  readonly stop?: Stop;
  readonly requestId?: string;
  /** `digest` of the body that holds the response without its messages. */
  readonly envelope?: string;
  /** The exact request it answers: `digest` of a stored manifest, and SHA-256 of the bytes that were sent. */
  readonly request?: { readonly manifest: string; readonly sha256: string };
  readonly generation?: string;
  readonly exchange?: string;
  /** The conversation it belongs to. Takes from before conversations were named have none. */
  readonly thread?: string;
  /** What the request had beside its messages. */
  readonly context?: TakeContext;
  /** What a client or an importer said about it. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Whoever issued what the demo answers: no provider is ever sent it as its own, and it costs nothing. */
export const DEMO_ISSUER = 'skein-demo';

/** The system text and the tools of a request, each by the digest of its exact text. */
export interface TakeContext {
  /** The system messages at the front, in order. */
  readonly system: readonly StoredText[];
  /** They are not those that the path begins with, and are sent in place of them. */
  readonly replacesLead?: true;
  /** A JSON array of tool definitions; absent where the request had none. */
  readonly tools?: string;
}

/** A text of one dialect that is kept as a body. */
export interface StoredText {
  readonly dialect: string;
  readonly body: string;
}

/**
 * A named place that changes: the value of `name` on a thing. `null` means none. Everything that can change is made
 * of these, so that two writers who change different names never overwrite each other.
 */
export interface RefRecord {
  readonly k: 'ref';
  readonly on: 'thread' | 'group' | 'node' | 'bookmark' | 'forest' | 'older';
  /** Which thread, group of threads, node or bookmark. */
  readonly key: string;
  readonly name: string;
  readonly value: unknown;
  readonly clock: string;
}

/** Everything that is found by its id or in order under a thing it belongs to. */
export interface EntryRecord {
  readonly k: EntryKind;
  readonly id: string;
  /** What it belongs to: an event to its generation. */
  readonly of: string;
  /** Its place among those of the same kind and the same `of`; compared as text. */
  readonly order: string;
  readonly clock: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const ENTRY_KINDS = ['generation', 'event', 'exchange', 'tool-journal'] as const;

export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Bytes as they are kept in a record: as text where they are UTF-8, else in base64. */
export type PackedBytes = { readonly text: string } | { readonly base64: string };

export function packBytes(bytes: Uint8Array): PackedBytes {
  try {
    // A byte order mark is part of the bytes.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}

/** What the bytes are as text, where they were kept as text: the same as decoding them, which they need not become first. */
export function packedText(value: unknown): string | undefined {
  const { text } = (value ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text.toWellFormed() : undefined;
}

/** The same bytes again; undefined when the value is not packed bytes. */
export function unpackBytes(value: unknown): Uint8Array | undefined {
  const { text, base64 } = (value ?? {}) as { text?: unknown; base64?: unknown };
  if (typeof text === 'string') return new TextEncoder().encode(text);
  return typeof base64 === 'string' ? new Uint8Array(Buffer.from(base64, 'base64')) : undefined;
}

/** What arrived whole is a message, also when it says nothing; what broke off before its first word is none. */
export function hasMessage({ message, stop }: Alternative): boolean {
  return message.content.length > 0 || (stop.reason !== 'cut' && stop.reason !== 'error');
}
