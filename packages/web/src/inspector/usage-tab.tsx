import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import type { Node } from '../api/types.ts';
import { useCurrentThread } from '../state/current-thread.ts';
import { pathTo, useNodes } from '../state/nodes.ts';
import { TakeList } from './take-list.tsx';
import { UsageCard } from './usage-card.tsx';

/** What a message, the path to it and its conversation used and cost. */
export function UsageTab({ node }: { readonly node: Node }) {
  const thread = useCurrentThread();
  const of = thread && { thread: thread.id };
  const own = useQuery(queries.usage({ node: node.id }));
  const path = useQuery(queries.usage({ path: node.id, ...of }));
  const whole = useQuery({ ...queries.usage({ thread: thread?.id ?? '' }), enabled: thread !== undefined });
  const top = useNodes((state) => pathTo(state.nodes, node.id)[0]?.id);
  const tree = useQuery({ ...queries.usage({ below: top ?? '' }), enabled: top !== undefined });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="flex h-full flex-col gap-5 overflow-y-auto p-3" tabIndex={0} aria-label="Usage">
      <UsageCard title="This message" total={own} />
      <UsageCard title="The path to it" total={path} />
      {thread && <UsageCard title={`The conversation “${thread.title}”`} total={whole} />}
      <UsageCard title="Every branch of its tree" total={tree} />
      <TakeList takes={node.takes} />
    </section>
  );
}
