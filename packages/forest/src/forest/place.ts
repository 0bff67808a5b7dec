import { ECHO_START, type Echo, type NodeRecord, ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { ForestError } from './errors.ts';
import type { Place } from './make-records.ts';

export const ROOT_PLACE: Place = { id: ROOT, depth: 0, lead: ROOT, echo: ECHO_START };

/** The place below a node. `id` is a full id. */
export async function placeBelow(store: Store, id: string): Promise<Place> {
  if (id === ROOT) return ROOT_PLACE;
  const [node] = await store.nodes([id]);
  if (!node) throw new ForestError('unknown_node', id, `There is no node ${id} in this forest.`);
  return { id, depth: node.depth, lead: node.lead, echo: await echoAt(store, node) };
}

/** The echo chain after a node: its text is stored, the open calls are found by going up to the message that made them. */
async function echoAt(store: Store, node: NodeRecord): Promise<Echo> {
  if (node.lead === node.id) return { ...ECHO_START, text: node.echo };
  let answered = 0;
  for (let at: NodeRecord | undefined = node; at; [at] = await store.nodes([at.parent])) {
    const { calls, results } = at.facts;
    answered += results.length;
    if (calls.length > 0) return { text: node.echo, calls: calls.map(({ id }) => id), answered, leading: false };
    if (results.length === 0) break;
  }
  return { text: node.echo, calls: [], answered, leading: false };
}
