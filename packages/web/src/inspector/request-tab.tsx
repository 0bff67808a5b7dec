import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../api/queries.ts';
import type { Node } from '../api/types.ts';
import { useAddressedPlace } from '../state/current-thread.ts';
import { pathTo, useNodes } from '../state/nodes.ts';
import { useView, wishOf } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { openCalls } from './open-calls.ts';
import { RequestView } from './request-view.tsx';

/** The request that a message answers, or the one that would be sent below it. */
export function RequestTab({ node }: { readonly node: Node }) {
  const wasSent = node.takes.some(
    (take) => take.hasRequest || (take.exchange !== undefined && take.author === 'model'),
  );
  const [which, setWhich] = useState<'sent' | 'next'>(wasSent ? 'sent' : 'next');
  return (
    <div className="flex h-full flex-col">
      {wasSent && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would have to have a legend that is seen
        <div role="group" aria-label="Which request" className="flex gap-1 border-b border-line px-2 py-1.5">
          {(['sent', 'next'] as const).map((each) => (
            <Button
              key={each}
              small
              look="quiet"
              aria-pressed={which === each}
              className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
              onClick={() => setWhich(each)}
            >
              {each === 'sent' ? 'Was sent for it' : 'Would be sent next'}
            </Button>
          ))}
        </div>
      )}
      <div className="min-h-0 grow">{which === 'sent' ? <Sent node={node} /> : <Next node={node} />}</div>
    </div>
  );
}

function answersRequest({ takes }: Node): boolean {
  return takes.some((take) => take.hasRequest || (take.exchange !== undefined && take.author === 'model'));
}

function Sent({ node }: { readonly node: Node }) {
  const nodes = useNodes((state) => state.nodes);
  const sent = useQuery(queries.request(node.id, useAddressedPlace()?.thread));
  if (sent.error) return <Failed error={sent.error} onRetry={() => void sent.refetch()} />;
  if (!sent.data) return <Loading label="Loading the request" />;
  return (
    <RequestView request={sent.data} below={node.parent} before={pathTo(nodes, node.parent).findLast(answersRequest)} />
  );
}

function Next({ node }: { readonly node: Node }) {
  const nodes = useNodes((state) => state.nodes);
  const path = pathTo(nodes, node.id);
  const open = openCalls(path);
  const view = useView();
  const thread = useAddressedPlace()?.thread;
  const next = useQuery({ ...queries.nextRequest(node.id, wishOf(view, thread)), enabled: open.length === 0 });
  if (open.length > 0)
    return (
      <Empty title="The next request is not known yet">
        It holds the results of {open.join(', ')}, which are still to come.
      </Empty>
    );
  if (next.error) return <Failed error={next.error} onRetry={() => void next.refetch()} />;
  if (!next.data) return <Loading label="Working out the request" />;
  return <RequestView request={next.data} below={node.id} before={path.findLast(answersRequest)} />;
}
