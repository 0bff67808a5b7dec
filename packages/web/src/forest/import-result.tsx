import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { Link } from 'wouter';
import type { Imported } from '../api/importing.ts';
import { queries } from '../api/queries.ts';
import { addressOf } from '../state/address.ts';
import { counted } from '../ui/format.ts';

/** What came in, and what could not be read. */
export function ImportResult({ result }: { readonly result: Imported }) {
  const { format, threads, messages, added, problems } = result;
  const known = useQuery(queries.threads());
  const first = known.data?.items.find(({ id }) => id === threads[0]);
  return (
    <div className="mt-1 text-sm">
      <p className="flex flex-wrap items-center gap-x-2 text-soft">
        <CircleCheck size={14} aria-hidden className="text-ok" />
        <span>
          Read as <b className="font-medium text-ink">{format}</b>: {counted(threads.length, 'conversation')},{' '}
          {counted(messages, 'message')}, {added === 0 ? 'all of them known already' : `${added} of them new`}.
        </span>
        {first && (
          <Link href={addressOf(first.id)} className="text-accent hover:underline">
            Open {threads.length > 1 ? 'the first' : 'it'}
          </Link>
        )}
      </p>
      {problems.length > 0 && (
        <details className="mt-2">
          <summary className="text-warn">{counted(problems.length, 'part')} could not be read</summary>
          <ul className="mt-1 max-h-48 overflow-y-auto text-xs">
            {problems.map(({ where, message }) => (
              <li key={`${where} ${message}`} className="border-t border-line py-1 break-words">
                <b className="font-medium">{where}</b>: {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
