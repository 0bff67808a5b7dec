import type { Loss } from '@skein/core';

/** What to export: one message, the history up to a node, a node with all below it, a thread, or everything. */
export type ExportOf =
  | { readonly node: string }
  | { readonly path: string }
  | { readonly below: string }
  | { readonly thread: string }
  | 'everything';

export type ExportFormat = 'segments' | 'markdown' | 'messages' | 'fine-tuning';

export interface ExportOptions {
  readonly format: ExportFormat;
  /** Default: everything. */
  readonly of?: ExportOf;
  /** For `messages` and `fine-tuning`; default: OpenAI's chat completions. */
  readonly dialect?: string;
  /** What a conversation loses in the dialect, told before its text. Segments lose nothing. */
  readonly onLosses?: (conversation: ExportLosses) => void;
  /** A conversation that was left out of several, because a text of it is damaged. */
  readonly onDamaged?: (conversation: ExportDamage) => void;
  /** Called now and then with the number of messages written. */
  readonly onProgress?: (messages: number) => void;
}

export interface ExportDamage {
  /** The node where the conversation ends. */
  readonly head: string;
  /** What is damaged, and where. */
  readonly reason: string;
}

export interface ExportLosses {
  /** The node where the conversation ends. */
  readonly head: string;
  readonly losses: readonly Loss[];
}
