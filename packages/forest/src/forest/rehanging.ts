import { type NodeRecord, ROOT } from '../model/index.ts';
import { takeFor } from './append.ts';
import { isAtOrBelow } from './below.ts';
import { carriedTake } from './carry.ts';
import type { Context } from './context.ts';
import { copyPath, pathBehind } from './copy-path.ts';
import { ForestError } from './errors.ts';
import { makeRecords } from './make-records.ts';
import { everyItem } from './pages.ts';
import { placeBelow } from './place.ts';
import { checkPosition, needPlainText, needTextAndMedia, sameRole, withText } from './plain-text.ts';
import { putSystemAbove } from './put-system-above.ts';
import { messageOf } from './read-nodes.ts';
import { setRef } from './refs.ts';
import { refuseBookmarked } from './refuse-bookmarked.ts';
import { type Rehanging, rehang } from './rehang.ts';
import { hiddenAmong, hidingRefs, reviveRecords, unremoveRecords } from './removed.ts';
import { recordOf, resolveId } from './resolve.ts';
import { settleBelow } from './settle.ts';
import type { Forest, Rehung } from './types.ts';

type Rehangings = Pick<Forest, 'edit' | 'split' | 'remove' | 'restore' | 'graft'>;

/** What changes the shape of the tree. Nodes never change: others take their place. */
export function rehangingOf(context: Context): Rehangings {
  const { store } = context;

  const read = async (node: NodeRecord) => {
    const [[raw], takes] = await Promise.all([store.bodies([node.body]), store.takes([node.id])]);
    return { message: messageOf(store, node, raw, takes), takes };
  };

  /** Looks once more after writing: what others appended meanwhile follows. */
  const move = async (rehanging: Rehanging): Promise<Rehung> => {
    const { moved } = await rehang(context, rehanging);
    return { moved: new Map([...moved, ...(await settleBelow(context, [...moved.keys()]))]) };
  };

  const restore = async (id: string): Promise<void> => {
    const path = await store.path((await recordOf(store, id)).id);
    const refs = await hidingRefs(
      store,
      path.map((one) => one.id),
    );
    const movedAbove = refs.find(({ name }) => name === 'moved')?.key;
    if (movedAbove !== undefined && (await settleBelow(context, [movedAbove])).size > 0) return restore(id);
    const shown = unremoveRecords(context, refs);
    if (shown.length > 0) await store.append(shown);
  };

  return {
    async edit(id, text, { carry } = {}) {
      if (carry !== undefined && text !== '' && (await resolveId(store, id)) === ROOT)
        return putSystemAbove(context, await store.path((await recordOf(store, carry)).id), text);
      const node = await recordOf(store, id);
      const { message } = await read(node);
      needTextAndMedia(node.id, message);
      if (text === '')
        throw new ForestError('empty_text', node.id, 'An edit needs a text: to take a node away, remove it.');
      const behind = carry === undefined ? [] : await pathBehind(store, node, carry);
      if (text === message.text) return behind.at(-1)?.id ?? node.id;
      const at = context.clock.now();
      const edited = withText(message, text);
      const place = await placeBelow(store, node.parent);
      const made = makeRecords(place, edited, context.clock.siblingTime(place.id, at));
      const take = takeFor(edited, made.node.id, { via: 'edit', from: node.id, at });
      const copy = await copyPath(store, behind, made.next);
      const ids = [made.node.id, ...copy.ids];
      await store.append([made.body, made.node, take, ...copy.records, ...(await reviveRecords(context, ids))]);
      return ids.at(-1)!;
    },
    async split(id, at) {
      const node = await recordOf(store, id);
      const { message, takes } = await read(node);
      needPlainText(node.id, message);
      if (message.role === 'system')
        throw new ForestError(
          'not_text',
          node.id,
          `Node ${node.id} is a system message: there is nothing to go on from.`,
        );
      checkPosition(node.id, message.text, at);
      const halves = [message.text.slice(0, at), message.text.slice(at)].map((text) => sameRole(message, text));
      const first = makeRecords(await placeBelow(store, node.parent), halves[0]!, node.at);
      const second = makeRecords(first.next, halves[1]!, node.at);
      const by = [first, second].flatMap((half, index) => [
        half.body,
        half.node,
        ...takes.map((take) =>
          carriedTake(take, { node: half.node.id, via: 'split', from: node.id, origin: halves[index]!.origin }),
        ),
      ]);
      const tops = await childrenOf(context, node.id);
      const replaced = { old: node.id, now: second.node.id, by };
      const rehung = await move({ tops, onto: second.next, via: 'split', replaced });
      return { first: first.node.id, second: second.node.id, rehung };
    },
    async remove(id, { keepChildren = false } = {}) {
      const node = await recordOf(store, id);
      await refuseBookmarked(context, node, keepChildren);
      if (keepChildren) {
        const tops = await childrenOf(context, node.id);
        const onto = await placeBelow(store, node.parent);
        return move({ tops, onto, via: 'keep-children', removed: node.id });
      }
      if (!(await hiddenAmong(store, [node.id])).has(node.id))
        await store.append([setRef(context, 'node', node.id, 'removed', true)]);
      return { moved: new Map() };
    },
    restore,
    async graft(id, onto) {
      const node = await recordOf(store, id);
      const target = await resolveId(store, onto);
      if (target === node.parent) return { moved: new Map() };
      const place = await placeBelow(store, target);
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

async function childrenOf({ store }: Context, id: string): Promise<NodeRecord[]> {
  const children: NodeRecord[] = [];
  for await (const child of everyItem((page) => store.children(id, page))) children.push(child);
  return children;
}
