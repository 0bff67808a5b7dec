import { type NodeRecord, ROOT, searchText, wordsOf } from '../model/index.ts';
import type { SearchHit } from '../store/index.ts';
import { isAtOrBelow } from './below.ts';
import type { Context } from './context.ts';
import { filteredPage } from './pages.ts';
import { marksByNode, messageOf, takesByNode, unlessDamaged } from './read-nodes.ts';
import { hiddenBelow } from './removed.ts';
import { recordOf, resolveId } from './resolve.ts';
import { snippetOf } from './snippet.ts';
import type { Forest, Found } from './types.ts';

/** All words must be there; the last one may be the beginning of a word. */
export function searchOf(context: Context): Forest['search'] {
  const { store } = context;
  return async (text, { roles, since, until, below, model, tag, ...page } = {}) => {
    const words = wordsOf(text);
    const top =
      below === undefined || (await resolveId(store, below)) === ROOT ? undefined : await recordOf(store, below);
    if (words.length === 0) return { items: [] };
    const query = {
      words,
      ...(roles && { roles }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
    };
    const found = await filteredPage(
      (request) => store.search({ ...query, ...request }),
      (hits) => keepHits(context, hits, { top, model, tag }),
      page,
    );
    return { ...found, items: await readHits(context, found.items, words) };
  };
}

interface Kept {
  readonly top: NodeRecord | undefined;
  readonly model: string | undefined;
  readonly tag: string | undefined;
}

async function keepHits({ store }: Context, hits: readonly SearchHit[], { top, model, tag }: Kept): Promise<boolean[]> {
  const ids = hits.map(({ id }) => id);
  const records = (await store.nodes(ids)) as NodeRecord[];
  const [hidden, takes, marks] = await Promise.all([
    hiddenBelow(store, records),
    model === undefined ? undefined : takesByNode(store, ids),
    tag === undefined ? undefined : marksByNode(store, ids),
  ]);
  const kept: boolean[] = [];
  for (const [index, record] of records.entries())
    kept.push(
      !hidden[index] &&
        (!takes || (takes.get(record.id) ?? []).some((take) => take.model === model)) &&
        (!marks || marks.get(record.id)?.tags.includes(tag!) === true) &&
        (!top || (record.id !== top.id && (await isAtOrBelow(store, record, top)))),
    );
  return kept;
}

async function readHits({ store }: Context, hits: readonly SearchHit[], words: readonly string[]): Promise<Found[]> {
  const records = (await store.nodes(hits.map(({ id }) => id))) as NodeRecord[];
  const bodies = await store.bodies(records.map(({ body }) => body));
  return hits.flatMap(({ id, score }, index) => {
    const record = records[index]!;
    const message = unlessDamaged(() => messageOf(store, record, bodies[index], []));
    if (!message) return [];
    const text = searchText(message);
    return { node: id, role: record.facts.role, score, ...snippetOf(text, words) };
  });
}
