import { isUtf8 } from 'node:buffer';
import type { Alternative, Facts, Origin, Stop, Usage } from '@skein/core';
import { decodeUtf8 } from './utf8.ts';

/**
 * What a store keeps: one line of a segment, one row of a table. Records never change. Nodes, bodies and takes are named by
 * their content, so writing one twice changes nothing. Of refs and entries with the same name, the one with the later
 * `clock` wins. Records of unknown kinds are kept.
 */
export type StoreRecord = NodeRecord | BodyRecord | TakeRecord | RefRecord | EntryRecord;

/** A message after a history. */
export interface NodeRecord {
  readonly k: 'node';
  /** Computed by the id rule from the parent, the dialect and the text. */
  readonly id: string;
  readonly parent: string;
  /** How many messages its history has, itself included. */
  readonly depth: number;
  readonly dialect: string;
  /** `digest` of the body that holds its exact text. */
  readonly body: string;
  /** Computed by the echo rule, with the version of the rule in front: `1:…`. */
  readonly echo: string;
  /** The node that ends the system messages at the front of its history; the root when there are none. */
  readonly lead: string;
  /** What sending needs to know of the text without parsing it; `facts.digest` is `body`. */
  readonly facts: Omit<Facts, 'digest'>;
  /**
   * When it was first written, in milliseconds; not part of its id. Siblings of one millisecond differ by thousandths of it,
   * in the order in which they were made.
   */
  readonly at: number;
}

/** A text that other records name by its SHA-256: a message, a stored manifest, the head of a request, an envelope. */
export interface BodyRecord {
  readonly k: 'body';
  readonly digest: string;
  readonly text: string;
}

/** How a node was made. A node can have several takes. */
export interface TakeRecord {
  readonly k: 'take';
  /** A hash of everything else in the record. */
  readonly id: string;
  readonly node: string;
  readonly at: number;
  /** Who wrote the message; `unknown` in a history that a client sent, which does not say who wrote what. */
  readonly author: 'person' | 'model' | 'tool' | 'unknown';
  readonly via: 'append' | 'generate' | 'record' | 'import' | 'edit' | 'split' | 'graft' | 'keep-children';
  readonly origin: Origin;
  /** The node that this one was edited from, or that it replaced. */
  readonly from?: string;
  /** For a take that was carried over from a moved node: the original take, and how that was made. */
  readonly carried?: { readonly take: string; readonly via: TakeRecord['via']; readonly from?: string };
  readonly provider?: string;
  readonly model?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly usage?: Usage;
  /** Whether the usage was estimated, because the reply was cut before it arrived. */
  readonly estimated?: boolean;
  /** US dollars; absent when the price is not known. */
  readonly cost?: number;
  readonly firstEventMs?: number;
  readonly durationMs?: number;
  readonly stop?: Stop;
  readonly requestId?: string;
  /** `digest` of the body that holds the response without its messages. */
  readonly envelope?: string;
  /**
   * The request it answers: `digest` of a stored manifest, and SHA-256 of its bytes. Where the API completed it from what
   * it keeps, `sent` is the `digest` of the body that holds the text that was sent.
   */
  readonly request?: { readonly manifest: string; readonly sha256: string; readonly sent?: string };
  readonly generation?: string;
  readonly exchange?: string;
  /** The conversation it belongs to; absent in takes of older versions. */
  readonly thread?: string;
  /** What the request contained beside its messages. */
  readonly context?: TakeContext;
  /** What a client or an importer added. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The system text and the tools of a request, each by the digest of its exact text. */
export interface TakeContext {
  /** The system messages at the front, in order. */
  readonly system: readonly StoredText[];
  /** Whether they were sent in place of the system messages that the path begins with. */
  readonly replacesLead?: true;
  /** A JSON array of tool definitions; absent when the request had none. */
  readonly tools?: string;
}

/** A message text of a dialect that is stored as a body. */
export interface StoredText {
  readonly dialect: string;
  readonly body: string;
}

/** What a value that can change may belong to. */
export const REF_SUBJECTS = ['thread', 'group', 'node', 'bookmark', 'forest', 'older'] as const;

/**
 * A value that can change: `name` of a thing. `null` means none. Everything that can change consists of refs, so that two
 * writers that change different names never overwrite each other.
 */
export interface RefRecord {
  readonly k: 'ref';
  readonly on: (typeof REF_SUBJECTS)[number];
  /** The id of the thread, group, node or bookmark. */
  readonly key: string;
  readonly name: string;
  readonly value: unknown;
  readonly clock: string;
}

/** A record that is found by its id, or in order among those that belong to one thing. */
export interface EntryRecord {
  readonly k: EntryKind;
  readonly id: string;
  /** The id of what it belongs to: an event belongs to its generation. */
  readonly of: string;
  /** Its position among those of the same kind and the same `of`, compared as text. */
  readonly order: string;
  readonly clock: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const ENTRY_KINDS = ['generation', 'event', 'exchange', 'tool-journal'] as const;

/** The kinds of records that are found by their id, or in order among those that belong to one thing. */
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Bytes as they are stored in a record: as text if they are UTF-8, otherwise in base64. */
export type PackedBytes = { readonly text: string } | { readonly base64: string };

export function packBytes(bytes: Uint8Array): PackedBytes {
  return isUtf8(bytes) ? { text: decodeUtf8(bytes) } : { base64: Buffer.from(bytes).toString('base64') };
}

/** Shorter texts are decoded at once: an object that decodes itself, and the bytes that it keeps, take more time and memory. */
const LONG = 4096;

/**
 * The same, but a long text is decoded where somebody asks for it: a file store writes its bytes, and a stream is read in pieces.
 * The bytes are kept, not copied.
 */
export function packLazily(bytes: Uint8Array): PackedBytes {
  return bytes.length >= LONG && isUtf8(bytes) ? lazyText(bytes, {}) : packBytes(bytes);
}

/** Packed bytes with further members behind them. */
export function packWith<T extends object>(packed: PackedBytes, members: T): PackedBytes & T {
  const bytes = utf8Bytes(packed);
  return bytes ? lazyText(bytes, members) : { ...packed, ...members };
}

/** The bytes of a text that is not decoded yet; undefined for any other object. */
export function utf8Bytes(packed: object): Uint8Array | undefined {
  return undecoded.get(packed);
}

const undecoded = new WeakMap<object, Uint8Array>();

function lazyText<T extends object>(bytes: Uint8Array, members: T): { readonly text: string } & T {
  const packed = {
    get text() {
      return decodeUtf8(bytes);
    },
    ...members,
  };
  undecoded.set(packed, bytes);
  return packed;
}

/** The text of bytes that were stored as text: the same as decoding them, without unpacking them first. */
export function packedText(value: unknown): string | undefined {
  const { text } = (value ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text.toWellFormed() : undefined;
}

/** Unpacks bytes; undefined when the value is not packed bytes. */
export function unpackBytes(value: unknown): Uint8Array | undefined {
  const { text, base64 } = (value ?? {}) as { text?: unknown; base64?: unknown };
  if (typeof text === 'string') return new TextEncoder().encode(text);
  return typeof base64 === 'string' ? new Uint8Array(Buffer.from(base64, 'base64')) : undefined;
}

/** Whether a reply becomes a message: it is complete, even if empty, or something of it arrived. */
export function hasMessage({ message, stop }: Alternative): boolean {
  return message.content.length > 0 || (stop.reason !== 'cut' && stop.reason !== 'error');
}
