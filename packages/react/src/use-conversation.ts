import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Block, ConversationSnapshot, ConversationTransport } from './conversation.ts';
import { ConversationStore } from './conversation-store.ts';
import { httpTransport } from './http-transport.ts';

/** Which conversation, and how to reach it. */
export interface OpenConversationOptions {
  /** The id of a conversation. Without one, the first message begins a new conversation. */
  readonly id?: string | undefined;
  /** A message to show the branch of. Default: the branch that was continued last. */
  readonly at?: string | undefined;
  /** Default: `httpTransport()`, the API of the server that the page is from. The one of the first render is used. */
  readonly transport?: ConversationTransport;
}

/** A conversation and what a page can do with it. The functions stay the same in every render; failures become `error`. */
export interface OpenConversation
  extends ConversationSnapshot,
    Pick<ConversationStore, 'edit' | 'regenerate' | 'resume' | 'show' | 'stop'> {
  /** Sends a message, as text or as blocks, and has it answered. */
  readonly send: (message: string | readonly Block[]) => Promise<void>;
}

/**
 * A conversation of Skein in a component: its messages as blocks, as they arrive. After a reload it continues where it is.
 *
 * @example
 * const { messages, status, send, stop } = useConversation({ id: 'thread-1' });
 */
export function useConversation({ id, at, transport }: OpenConversationOptions = {}): OpenConversation {
  const [store] = useState(() => new ConversationStore(transport ?? httpTransport(), id));
  useEffect(() => {
    store.open(id, at);
    return store.close;
  }, [store, id, at]);
  const snapshot = useSyncExternalStore(store.subscribe, store.read, store.read);
  const { send, edit, regenerate, resume, show, stop } = store;
  return { ...snapshot, send, edit, regenerate, resume, show, stop };
}
