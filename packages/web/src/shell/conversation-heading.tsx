import { useAddressedPlace, useCurrentThread } from '../state/current-thread.ts';

/** A conversation shows no title of its own; those who cannot see the list beside it need one. */
export function ConversationHeading() {
  const place = useAddressedPlace();
  const thread = useCurrentThread();
  return place ? <h1 className="sr-only">{thread?.title || 'Conversation'}</h1> : null;
}
