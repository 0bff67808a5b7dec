import { queryClient } from '../api/queries.ts';
import { grown, type Topology } from '../api/structure.ts';
import type { Node } from '../api/types.ts';

/** Takes nodes that came or changed into the structures that are shown: fetching thousands again would take seconds. */
export function growTopologies(nodes: readonly Node[]): void {
  for (const [key, topology] of queryClient.getQueriesData<Topology>({ queryKey: ['topology'] }))
    if (topology) queryClient.setQueryData<Topology>(key, grown(topology, nodes, key[1] === 'all'));
}
