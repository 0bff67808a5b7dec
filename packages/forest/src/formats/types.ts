import type { Message } from '@skein/core';
import type { TakeFacts } from '../forest/write/append.ts';

/** What can be imported; docs/import-export.md says what each keeps where. */
export const IMPORT_FORMATS = [
  'messages',
  'message-list',
  'chat-state',
  'fine-tuning',
  'chatgpt',
  'claude',
  'ui-messages',
  'langchain',
  'segments',
  'older',
] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export interface ImportOptions {
  /** Needed where nothing in the source says what it is. */
  readonly format?: ImportFormat;
  /** What bare messages are written in; `legacy` is the older shape with string content. */
  readonly dialect?: string;
  /** Called now and then, and at the end. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  /** Characters of the source that were read; files, for a folder. */
  readonly read: number;
  /** Conversations that are in the forest now; records, for segments. */
  readonly elements: number;
  readonly messages: number;
  readonly problems: number;
}

export interface Imported {
  readonly format: ImportFormat;
  /** The conversations, each a thread: the same source gives the same threads. */
  readonly threads: readonly string[];
  readonly elements: number;
  readonly messages: number;
  /** Nodes that were not there before. */
  readonly added: number;
  /** What could not be read. Of such an element nothing was written. */
  readonly problems: readonly ImportProblem[];
}

export interface ImportProblem {
  readonly code: string;
  /** Such as `line 3`, `element 2` or a file's name. */
  readonly where: string;
  readonly message: string;
}

/** A conversation as a reader found it: a tree of messages. */
export interface Conversation {
  /** Its id in the source; without one it is known by its messages. */
  readonly id?: string;
  readonly title?: string;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly tags?: readonly string[];
  readonly messages: readonly SourceMessage[];
  /** Key of the message where it stands; default: the last one. */
  readonly head?: string;
}

export interface SourceMessage {
  /** Its own within the conversation. */
  readonly key: string;
  /** Undefined for a first message. */
  readonly parent: string | undefined;
  readonly message: Message;
  /** When it was written, where the source knows. */
  readonly at?: number | undefined;
  readonly take?: TakeFacts;
}
