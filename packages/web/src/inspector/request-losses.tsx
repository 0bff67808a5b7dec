import { TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { SentRequest } from '../api/types.ts';
import { addressOf } from '../state/address.ts';
import { useAddressedPlace } from '../state/current-thread.ts';

type Loss = NonNullable<SentRequest['losses']>[number];

/** What a request leaves out, rewrites or adds. */
export function RequestLosses({ losses }: { readonly losses: readonly Loss[] }) {
  const thread = useAddressedPlace()?.thread;
  return (
    <details className="border-t border-line px-3 py-2 text-xs" open={losses.length <= 3}>
      <summary className="flex items-center gap-2 text-warn">
        <TriangleAlert size={14} aria-hidden className="shrink-0" />
        {losses.length === 1
          ? 'One thing is not sent as it is stored'
          : `${losses.length} things are not sent as they are stored`}
      </summary>
      <ul className="mt-1 flex flex-col gap-1 pl-5">
        {losses.map((loss, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two losses may read the same
          <li key={index}>
            {loss.text}{' '}
            {loss.node !== undefined && (
              <Link href={addressOf(thread, loss.node)} className="text-accent underline">
                show the message
              </Link>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
