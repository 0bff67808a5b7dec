import { system } from '@skein/core';
import { type NodeRecord, ROOT, type StoreRecord } from '../../model/index.ts';
import type { Store } from '../../store/index.ts';
import { type ForestContext, makeRef } from '../context.ts';
import { ForestError } from '../errors.ts';
import type { Forest } from '../forest.ts';
import { allItems } from '../pages.ts';
import { findHidden, makeUnhideRefs, makeUnremoveRefs, readHidingRefs } from '../read/hidden.ts';
import { readMessage, readTakes } from '../read/read-nodes.ts';
import { isAtOrBelow, resolveId, resolveNode } from '../read/resolve.ts';

import { createMessageTake } from './append.ts';
import { type AppendPoint, makeNodeRecords, ROOT_POINT, readAppendPoint } from './append-point.ts';
import { refuseBookmarked } from './bookmarks.ts';
import { checkPlainText, checkPosition, checkTextAndMedia, withContent, withText } from './plain-text.ts';
import { carryTake, type MoveResult, moveStragglers, type ReparentRequest, reparent } from './reparent.ts';

export interface SplitResult {
  readonly first: string;
  readonly second: string;
  readonly rehung: MoveResult;
}

type Rehangings = Pick<Forest, 'edit' | 'split' | 'remove' | 'restore' | 'graft'>;

/** What changes the shape of the tree. Nodes never change: others take their place. */
export function createEdits(context: ForestContext): Rehangings {
  const { store } = context;

  const read = async (node: NodeRecord) => {
    const [[raw], takes] = await Promise.all([store.bodies([node.body]), store.takes([node.id])]);
    return { message: readMessage(store, node, raw, takes), takes };
  };

  /** Looks once more after writing: what others appended meanwhile follows. */
  const move = async (rehanging: ReparentRequest): Promise<MoveResult> => {
    const { moved } = await reparent(context, rehanging);
    return { moved: new Map([...moved, ...(await moveStragglers(context, [...moved.keys()]))]) };
  };

  const restore = async (id: string): Promise<void> => {
    const path = await store.path((await resolveNode(store, id)).id);
    const refs = await readHidingRefs(
      store,
      path.map((one) => one.id),
    );
    const movedAbove = refs.find(({ name }) => name === 'moved')?.key;
    if (movedAbove !== undefined && (await moveStragglers(context, [movedAbove])).size > 0) return restore(id);
    const shown = makeUnremoveRefs(context, refs);
    if (shown.length > 0) await store.append(shown);
  };

  return {
    async edit(id, text, { carry } = {}) {
      if (carry !== undefined && text !== '' && (await resolveId(store, id)) === ROOT)
        return insertSystem(context, await store.path((await resolveNode(store, carry)).id), text);
      const node = await resolveNode(store, id);
      const { message } = await read(node);
      checkTextAndMedia(node.id, message);
      if (text === '')
        throw new ForestError('empty_text', node.id, 'An edit needs a text: to take a node away, remove it.');
      const behind = carry === undefined ? [] : await readPathBelow(store, node, carry);
      if (text === message.text) return behind.at(-1)?.id ?? node.id;
      const at = context.clock.now();
      const edited = withText(message, text);
      const place = await readAppendPoint(store, node.parent);
      const made = makeNodeRecords(place, edited, context.clock.siblingTime(place.id, at));
      const take = createMessageTake(edited, made.node.id, { via: 'edit', from: node.id, at });
      const copy = await copyPath(store, behind, made.next);
      const ids = [made.node.id, ...copy.ids];
      await store.append([made.body, made.node, take, ...copy.records, ...(await makeUnhideRefs(context, ids))]);
      return ids.at(-1)!;
    },
    async split(id, at) {
      const node = await resolveNode(store, id);
      const { message, takes } = await read(node);
      checkPlainText(node.id, message);
      if (message.role === 'system')
        throw new ForestError(
          'not_text',
          node.id,
          `Node ${node.id} is a system message: there is nothing to go on from.`,
        );
      checkPosition(node.id, message.text, at);
      const halves = [message.text.slice(0, at), message.text.slice(at)].map((text) => withContent(message, text));
      const first = makeNodeRecords(await readAppendPoint(store, node.parent), halves[0]!, node.at);
      const second = makeNodeRecords(first.next, halves[1]!, node.at);
      const by = [first, second].flatMap((half, index) => [
        half.body,
        half.node,
        ...takes.map((take) =>
          carryTake(take, { node: half.node.id, via: 'split', from: node.id, origin: halves[index]!.origin }),
        ),
      ]);
      const tops = await readChildren(context, node.id);
      const replaced = { old: node.id, now: second.node.id, by };
      const rehung = await move({ tops, onto: second.next, via: 'split', replaced });
      return { first: first.node.id, second: second.node.id, rehung };
    },
    async remove(id, { keepChildren = false } = {}) {
      const node = await resolveNode(store, id);
      await refuseBookmarked(context, node, keepChildren);
      if (keepChildren) {
        const tops = await readChildren(context, node.id);
        const onto = await readAppendPoint(store, node.parent);
        return move({ tops, onto, via: 'keep-children', removed: node.id });
      }
      if (!(await findHidden(store, [node.id])).has(node.id))
        await store.append([makeRef(context, 'node', node.id, 'removed', true)]);
      return { moved: new Map() };
    },
    restore,
    async graft(id, onto) {
      const node = await resolveNode(store, id);
      const target = await resolveId(store, onto);
      if (target === node.parent) return { moved: new Map() };
      const place = await readAppendPoint(store, target);
      if (await isAtOrBelow(store, place, node))
        throw new ForestError(
          'below_itself',
          node.id,
          `Node ${node.id} cannot hang below itself: ${target} is below it.`,
        );
      return move({ tops: [node], onto: place, via: 'graft' });
    },
  };
}

async function readChildren({ store }: ForestContext, id: string): Promise<NodeRecord[]> {
  const children: NodeRecord[] = [];
  for await (const child of allItems((page) => store.children(id, page))) children.push(child);
  return children;
}

/** The messages of a path once more, below a system text that it had not; gives the end of it. */
async function insertSystem(context: ForestContext, path: readonly NodeRecord[], text: string): Promise<string> {
  const { store, clock } = context;
  const [first] = path;
  if (first!.lead !== ROOT)
    throw new ForestError('has_system', first!.id, `Node ${first!.id} is a system text already: edit that one.`);
  const at = clock.now();
  const message = system(text);
  const made = makeNodeRecords(ROOT_POINT, message, clock.siblingTime(ROOT, at));
  const take = createMessageTake(message, made.node.id, { via: 'edit', from: first!.id, at });
  const copy = await copyPath(store, path, made.next);
  const ids = [made.node.id, ...copy.ids];
  await store.append([made.body, made.node, take, ...copy.records, ...(await makeUnhideRefs(context, ids))]);
  return ids.at(-1)!;
}

/** What stands behind a node up to another one; none when that is the node itself. */
async function readPathBelow(store: Store, node: NodeRecord, to: string): Promise<NodeRecord[]> {
  const end = await resolveNode(store, to);
  if (!(await isAtOrBelow(store, end, node)))
    throw new ForestError('not_above', end.id, `Node ${end.id} is not below ${node.id}: there is nothing to carry.`);
  return store.path(end.id, node.id);
}

/** The same messages once more below a place: exact texts, with who wrote them and what that cost. */
async function copyPath(
  store: Store,
  path: readonly NodeRecord[],
  onto: AppendPoint,
): Promise<{ readonly records: readonly StoreRecord[]; readonly ids: readonly string[] }> {
  const [bodies, takes] = await Promise.all([
    store.bodies(path.map(({ body }) => body)),
    readTakes(
      store,
      path.map(({ id }) => id),
    ),
  ]);
  const records: StoreRecord[] = [];
  const ids: string[] = [];
  let here = onto;
  for (const [index, old] of path.entries()) {
    const own = takes.get(old.id) ?? [];
    const { node, next } = makeNodeRecords(here, readMessage(store, old, bodies[index], own), old.at);
    records.push(node, ...own.map((take) => carryTake(take, { node: node.id, via: 'edit', from: old.id })));
    ids.push(node.id);
    here = next;
  }
  return { records, ids };
}
