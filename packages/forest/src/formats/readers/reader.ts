import type { Conversation } from '../types.ts';

/** Reads one format. What cannot be read throws; nothing of that element is imported then. */
export interface Reader {
  /** What a list in a file has as its elements: whole conversations, or the messages of one. */
  readonly element: 'conversation' | 'message';
  /** A file is always JSON lines. */
  readonly inLines?: boolean;
  /** One conversation from its JSON text: an object, or a list of messages. */
  read(text: string, options: { readonly dialect?: string | undefined }): Conversation;
}
