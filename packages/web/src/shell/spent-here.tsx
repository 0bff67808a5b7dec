import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import { useAddressedPlace, useShownLeaf } from '../state/current-thread.ts';
import { allTokens, money, shortNumber } from '../ui/format.ts';

/** Tokens and cost of the thread on screen. */
export function SpentHere() {
  const thread = useAddressedPlace()?.thread;
  const leaf = useShownLeaf();
  const of = { path: leaf ?? '', ...(thread !== undefined && { thread }) };
  const { data } = useQuery({ ...queries.usage(of), enabled: leaf !== undefined });
  if (!data || leaf === undefined || data.replies === 0) return null;
  const cost = `${money(data.cost)}${data.withoutPrice > 0 ? ' +' : ''}`;
  const unknown =
    data.withoutPrice > 0
      ? `, without ${data.withoutPrice === 1 ? '1 reply that has' : `${data.withoutPrice} replies that have`} no price`
      : '';
  return (
    <span
      className="shrink-0 text-xs whitespace-nowrap text-soft tabular-nums max-md:hidden"
      title={`What this thread has used so far${unknown}`}
    >
      {shortNumber(allTokens(data.usage))} tokens · {cost}
    </span>
  );
}
