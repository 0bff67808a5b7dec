import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries.ts';
import { useAddressedPlace } from '../../state/current-thread.ts';
import { choose, type Settings, useView } from '../../state/view.ts';

/** What can be chosen of a request; a recorded one may have had more. */
const CHOOSABLE = ['maxTokens', 'temperature', 'topP', 'stop', 'seed', 'reasoning'];

function choosable(params: Settings['params'] = {}): Required<Settings>['params'] {
  return Object.fromEntries(Object.entries(params).filter(([name]) => CHOOSABLE.includes(name)));
}

/** The tools and parameters that the next answer is asked with, and how to choose others. */
export function useSettings(): Required<Settings> & { readonly choose: (settings: Settings) => void } {
  const thread = useAddressedPlace()?.thread;
  const start = useView(({ tools }) => tools);
  const startParams = useView(({ params }) => params);
  const chosen = useView(({ chosenFor }) => (chosenFor?.thread === thread ? chosenFor : undefined));
  const { data } = useQuery({ ...queries.lastRequest(thread ?? ''), enabled: thread !== undefined });
  const last = thread === undefined ? undefined : data?.last;
  return {
    tools: chosen?.tools ?? last?.tools ?? start,
    params: chosen?.params ?? (last ? choosable(last.params) : startParams),
    choose: (settings) => choose(thread, settings),
  };
}
