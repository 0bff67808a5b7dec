import { useQuery } from '@tanstack/react-query';
import { useRoute } from 'wouter';
import { queries } from '../api/queries.ts';
import { usePlace } from '../state/place.ts';
import { allTokens, money, shortNumber } from '../ui/format.ts';

/** Tokens and cost of the thread on screen. */
export function SpentHere() {
  const [, params] = useRoute('/c/:node');
  const node = params?.node;
  const leaf = usePlace((place) => (node === undefined ? undefined : place.leafOf.get(node)));
  const path = leaf ?? '';
  const { data } = useQuery({ ...queries.usage({ path }), enabled: leaf !== undefined });
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
