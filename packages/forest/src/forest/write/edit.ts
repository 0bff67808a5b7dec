import { system } from '@skein/core';
import { ROOT } from '../../model/ids.ts';
import type { NodeRecord, StoreRecord } from '../../model/records.ts';
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

/** The two nodes that replace one, and the new ids of what was below it. */
export interface SplitResult extends MoveResult {
  readonly first: string;
  readonly second: string;
}

type Edits = Pick<Forest, 'edit' | 'split' | 'remove' | 'restore' | 'graft'>;

/** The methods of a forest that change the shape of the tree. Nodes never change: new ones replace them. */
export function createEdits(context: ForestContext): Edits {
  const { store } = context;

  const read = async (node: NodeRecord) => {
    const [[raw], takes] = await Promise.all([store.bodies([node.body]), store.takes([node.id])]);
    return { message: readMessage(store, node, raw, takes), takes };
  };

  /** Looks once more after the write: nodes that others appended meanwhile follow. */
  const move = async (request: ReparentRequest): Promise<MoveResult> => {
    const { moved } = await reparent(context, request);
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
        throw new ForestError('empty_text', node.id, 'The new text is empty: to take a node away, remove it.');
      const behind = carry === undefined ? [] : await readPathBelow(store, node, carry);
      if (text === message.text) return behind.at(-1)?.id ?? node.id;
      const at = context.clock.now();
      const edited = withText(message, text);
      const point = await readAppendPoint(store, node.parent);
      const made = makeNodeRecords(point, edited, context.clock.siblingTime(point.id, at));
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
          `Node ${node.id} is a system message: only messages that a conversation continues from can be split.`,
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
      const { moved } = await move({ tops, onto: second.next, via: 'split', replaced });
      return { first: first.node.id, second: second.node.id, moved };
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
      const point = await readAppendPoint(store, target);
      if (await isAtOrBelow(store, point, node))
        throw new ForestError(
          'below_itself',
          node.id,
          `Node ${node.id} cannot move below itself: ${target} is below it.`,
        );
      return move({ tops: [node], onto: point, via: 'graft' });
    },
  };
}

async function readChildren({ store }: ForestContext, id: string): Promise<NodeRecord[]> {
  const children: NodeRecord[] = [];
  for await (const child of allItems((page) => store.children(id, page))) children.push(child);
  return children;
}

/** Copies a path that has no system message below a new one, and returns the end of the copy. */
async function insertSystem(context: ForestContext, path: readonly NodeRecord[], text: string): Promise<string> {
  const { store, clock } = context;
  const [first] = path;
  if (first!.lead !== ROOT)
    throw new ForestError('has_system', first!.id, `Node ${first!.id} is a system message already: edit that one.`);
  const at = clock.now();
  const message = system(text);
  const made = makeNodeRecords(ROOT_POINT, message, clock.siblingTime(ROOT, at));
  const take = createMessageTake(message, made.node.id, { via: 'edit', from: first!.id, at });
  const copy = await copyPath(store, path, made.next);
  const ids = [made.node.id, ...copy.ids];
  await store.append([made.body, made.node, take, ...copy.records, ...(await makeUnhideRefs(context, ids))]);
  return ids.at(-1)!;
}

/** Reads the path below a node down to another one; empty when both are the same. */
async function readPathBelow(store: Store, node: NodeRecord, to: string): Promise<NodeRecord[]> {
  const end = await resolveNode(store, to);
  if (!(await isAtOrBelow(store, end, node)))
    throw new ForestError('not_above', end.id, `Node ${end.id} is not below ${node.id}, so there is nothing to carry.`);
  return store.path(end.id, node.id);
}

/** Makes the records of a path once more at another append point: exact texts, with their authors and costs. */
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
