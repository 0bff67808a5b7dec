import { useQuery } from '@tanstack/react-query';
import { Network } from 'lucide-react';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { Graph } from './graph.tsx';

/** The whole forest, or a node and all that is below it. */
export default function GraphScreen({ below }: { readonly below?: string }) {
  const topology = useQuery(queries.topology(below));
  if (topology.error) return <Failed error={topology.error} onRetry={() => void topology.refetch()} />;
  if (!topology.data) return <Loading label="Loading the graph" />;
  if (topology.data.items.length === 0)
    return (
      <Empty title="The forest is empty" icon={<Network size={32} />}>
        Every message of every conversation will be here.{' '}
        <Link href="/new" className="text-accent underline">
          Begin one
        </Link>
        .
      </Empty>
    );
  return <Graph key={below ?? 'all'} topology={topology.data} {...(below !== undefined && { below })} />;
}
