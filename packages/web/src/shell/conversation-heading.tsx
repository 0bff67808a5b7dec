import { useRoute } from 'wouter';
import { useCurrentThread } from './current-thread.ts';

/** A conversation shows no title of its own; those who cannot see the list beside it need one. */
export function ConversationHeading() {
  const [isConversation] = useRoute('/c/:node');
  const thread = useCurrentThread();
  return isConversation ? <h1 className="sr-only">{thread?.title || 'Conversation'}</h1> : null;
}
