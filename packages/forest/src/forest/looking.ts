import { ROOT } from '../model/index.ts';
import type { Page } from '../store/index.ts';
import type { Context } from './context.ts';
import { readableNodes, readNodes, takesByNode } from './read-nodes.ts';
import { resolveId } from './resolve.ts';
import { topOf } from './top.ts';
import type { Forest, ForestNode, TopologyNode } from './types.ts';
import { type Step, walkBelow } from './walk.ts';

/** Looking over more than one path. */
export function lookingOf({ store }: Context): Pick<Forest, 'leaves' | 'descendants' | 'diff' | 'topology'> {
  const readSteps = async (page: Page<Step>): Promise<Page<ForestNode>> => {
    const items = await readableNodes(
      store,
      page.items.map(({ record }) => record),
      page.items.map(({ removed }) => removed),
    );
    return { ...page, items };
  };

  return {
    async leaves(id = ROOT, page = {}) {
      const top = await topOf(store, id);
      const found = await walkBelow(store, top, page, ({ isLeaf }) => isLeaf);
      const isAlone = found.items.length === 0 && page.after === undefined && top.id !== ROOT;
      if (!isAlone || (top.removed && !page.withRemoved)) return readSteps(found);
      const [record] = await store.nodes([top.id]);
      return { items: await readableNodes(store, [record!], [top.removed]) };
    },
    async descendants(id, page = {}) {
      return readSteps(await walkBelow(store, await topOf(store, id), page));
    },
    async diff(a, b) {
      const [pathA, pathB] = await Promise.all([a, b].map(async (id) => store.path(await resolveId(store, id))));
      let sharedLength = 0;
      while (pathA![sharedLength] && pathA![sharedLength]!.id === pathB![sharedLength]?.id) sharedLength += 1;
      const [onlyA, onlyB] = await Promise.all(
        [pathA!, pathB!].map((path) => readNodes(store, path.slice(sharedLength))),
      );
      return { shared: pathA![sharedLength - 1]?.id ?? ROOT, sharedLength, a: onlyA!, b: onlyB! };
    },
    async topology({ below = ROOT, ...page } = {}) {
      const found = await walkBelow(store, await topOf(store, below), page);
      const takes = await takesByNode(
        store,
        found.items.map(({ record }) => record.id),
      );
      return { ...found, items: found.items.map((step) => bare(step, takes.get(step.record.id) ?? [])) };
    },
  };
}

function bare({ record, removed }: Step, takes: ForestNode['takes']): TopologyNode {
  const { id, parent, depth, at, facts } = record;
  const model = takes.find((take) => take.model !== undefined)?.model;
  const provider = takes.find((take) => take.provider !== undefined)?.provider;
  return {
    id,
    parent,
    depth,
    role: facts.role,
    at,
    removed,
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
  };
}
