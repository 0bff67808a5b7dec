import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import { useConversationAddress } from './current-thread.ts';
import { useView } from './view.ts';

/** The model that would answer next: the chosen one, the agent's, the conversation's, or the server's default. */
export function useModel(): string | undefined {
  const model = useView((view) => view.model);
  const agent = useView((view) => view.agent);
  const settings = useQuery(queries.settings());
  const agents = useQuery(queries.agents());
  const thread = useConversationAddress()?.thread;
  const { data } = useQuery({ ...queries.lastRequest(thread ?? ''), enabled: thread !== undefined });
  const own = thread === undefined ? undefined : data?.next;
  return model ?? agents.data?.items.find(({ id }) => id === agent)?.model ?? own ?? settings.data?.model;
}
