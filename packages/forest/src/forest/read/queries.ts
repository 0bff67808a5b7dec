import type { Role } from '@skein/core';
import { ROOT } from '../../model/ids.ts';
import type { NodeRecord } from '../../model/records.ts';
import type { Page, PageRequest, Store } from '../../store/index.ts';
import type { ForestContext } from '../context.ts';
import { ForestError } from '../errors.ts';
import type { Forest } from '../forest.ts';
import { allPages, filteredPage } from '../pages.ts';
import { readLineage } from '../threads/thread.ts';
import { joinTexts } from '../write/plain-text.ts';
import { findHidden, isHiding } from './hidden.ts';
import { type ForestNode, readableNodes, readMessage, readNodes, readTakes } from './read-nodes.ts';
import { resolveId, resolveNode } from './resolve.ts';
import { diffFromLastRequest, readSentRequest } from './sent-request.ts';
import { readStatelessRequest } from './stateless-request.ts';
import { type NodePageRequest, resolveWalkStart, type WalkStart, type WalkStep, walkBelow } from './walk.ts';

/** Restricts a query to the requests of one conversation. Default: all conversations through the node. */
export interface ThreadScope {
  readonly thread?: string;
}

/** Which request to read, and in which form. */
export interface RequestQuery extends ThreadScope {
  /**
   * Rebuild a request that the API completes from its own memory: with the whole history, and without the id of what it
   * continues. Any other request is returned as it was sent.
   */
  readonly stateless?: boolean;
}

/** Where two paths diverge. */
export interface Difference {
  /** The last node on both paths; the root when there is none. */
  readonly shared: string;
  /** How many nodes both paths begin with. */
  readonly sharedLength: number;
  /** The nodes that only the first path has. */
  readonly a: readonly ForestNode[];
  /** The nodes that only the second path has. */
  readonly b: readonly ForestNode[];
}

export interface TopologyRequest extends NodePageRequest {
  /** Only below this node. */
  readonly below?: string;
}

/** A node without its content. */
export interface TopologyNode {
  readonly id: string;
  readonly parent: string;
  readonly depth: number;
  readonly role: Role;
  readonly at: number;
  readonly removed: boolean;
  readonly model?: string;
  readonly provider?: string;
}

/** The number of nodes of one part of an outline. */
const OUTLINE_SIZE = 10_000;

type Queries = Pick<
  Forest,
  | 'resolve'
  | 'node'
  | 'path'
  | 'messages'
  | 'children'
  | 'siblings'
  | 'request'
  | 'requestParts'
  | 'leaves'
  | 'descendants'
  | 'diff'
  | 'topology'
  | 'outline'
>;

/** The methods of a forest that read nodes: one, a path, a level, or a subtree. */
export function createQueries({ store }: ForestContext): Queries {
  const readSteps = async (page: Page<WalkStep>): Promise<Page<ForestNode>> => {
    const items = await readableNodes(
      store,
      page.items.map(({ record }) => record),
      page.items.map(({ removed }) => removed),
    );
    return { ...page, items };
  };

  return {
    resolve: (id) => resolveId(store, id),
    async node(id) {
      const [node] = await readNodes(store, [await resolveNode(store, id)]);
      return node!;
    },
    async path(to, from = ROOT) {
      const [end, above] = await Promise.all([resolveId(store, to), resolveId(store, from)]);
      const records = await store.path(end, above);
      if (end !== above && (records[0]?.parent ?? ROOT) !== above)
        throw new ForestError(
          'not_above',
          above,
          `Node ${above} is not above ${end}, so it cannot be "from". To compare two branches, use diff.`,
        );
      return readNodes(store, records);
    },
    async messages(id, { issuer } = {}) {
      const path = await store.path(await resolveId(store, id));
      const [bodies, takes] = await Promise.all([
        store.bodies(path.map(({ body }) => body)),
        readTakes(
          store,
          path.map((node) => node.id),
        ),
      ]);
      return joinTexts(
        path.map((node, index) => readMessage(store, node, bodies[index], takes.get(node.id) ?? [], issuer)),
      );
    },
    async children(id, page = {}) {
      const top = await resolveWalkStart(store, id);
      const found = await childPage(store, top, page);
      return { ...found, items: await readChildren(store, top, found.items) };
    },
    async siblings(id, { withRemoved = false } = {}) {
      const { parent } = await resolveNode(store, id);
      const top = await resolveWalkStart(store, parent);
      const found: ForestNode[] = [];
      for await (const records of allPages((page) => childPage(store, top, { ...page, withRemoved })))
        found.push(...(await readChildren(store, top, records)));
      return found;
    },
    async request(id, { thread, stateless = false } = {}) {
      const read = stateless ? readStatelessRequest : readSentRequest;
      const lineage = thread === undefined ? undefined : await readLineage(store, thread);
      return read(store, await resolveNode(store, id), lineage);
    },
    async requestParts(id, { thread } = {}) {
      const node = await resolveNode(store, id);
      const lineage = thread === undefined ? undefined : await readLineage(store, thread);
      const sent = await readSentRequest(store, node, lineage);
      return diffFromLastRequest(store, await store.path(node.parent), sent, lineage);
    },
    async leaves(id = ROOT, page = {}) {
      const top = await resolveWalkStart(store, id);
      const found = await walkBelow(store, top, page, ({ isLeaf }) => isLeaf);
      const isAlone = found.items.length === 0 && page.after === undefined && top.id !== ROOT;
      if (!isAlone || (top.removed && !page.withRemoved)) return readSteps(found);
      const [record] = await store.nodes([top.id]);
      return { items: await readableNodes(store, [record!], [top.removed]) };
    },
    async descendants(id, page = {}) {
      return readSteps(await walkBelow(store, await resolveWalkStart(store, id), page));
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
      const found = await walkBelow(store, await resolveWalkStart(store, below), page);
      const takes = await readTakes(
        store,
        found.items.map(({ record }) => record.id),
      );
      return { ...found, items: found.items.map((step) => toTopologyNode(step, takes.get(step.record.id) ?? [])) };
    },
    async *outline() {
      const hidden = new Set<string>();
      const hiding = (page: PageRequest) => store.refs({ on: 'node', names: ['removed', 'moved'], ...page });
      for await (const refs of allPages(hiding)) for (const ref of refs) if (isHiding(ref)) hidden.add(ref.key);
      for (let after: string | undefined; ; ) {
        const { items, next } = await store.scan({ limit: OUTLINE_SIZE, ...(after !== undefined && { after }) });
        // What is below a hidden node is hidden with it, and comes after it.
        for (const { id, parent } of items) if (hidden.has(parent)) hidden.add(id);
        const shown = items.filter(({ id }) => !hidden.has(id));
        const takes = await readTakes(
          store,
          shown.map(({ id }) => id),
        );
        yield shown.map((record) => toTopologyNode({ record, removed: false }, takes.get(record.id) ?? []));
        if (next === undefined) return;
        after = next;
      }
    },
  };
}

async function readChildren(store: Store, top: WalkStart, records: readonly NodeRecord[]): Promise<ForestNode[]> {
  const hidden = await findHidden(
    store,
    records.map(({ id }) => id),
  );
  return readableNodes(
    store,
    records,
    records.map(({ id }) => top.removed || hidden.has(id)),
  );
}

function childPage(
  store: Store,
  top: WalkStart,
  { withRemoved = false, ...page }: NodePageRequest,
): Promise<Page<NodeRecord>> {
  return filteredPage(
    (request) => store.children(top.id, request),
    async (records) => {
      if (withRemoved) return records.map(() => true);
      const hidden = top.removed
        ? undefined
        : await findHidden(
            store,
            records.map(({ id }) => id),
          );
      return records.map(({ id }) => hidden !== undefined && !hidden.has(id));
    },
    page,
  );
}

function toTopologyNode(
  { record, removed }: Pick<WalkStep, 'record' | 'removed'>,
  takes: ForestNode['takes'],
): TopologyNode {
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
