import { describe, expect, test } from 'vitest';
import { PlacementOrder, type QueuedExchange } from './placement-order.ts';
import type { IndexStep } from './recorded-index.ts';

const queued = (natural: string): QueuedExchange => ({ id: `x${natural}`, clock: 'c1', natural, order: natural });

/** It had a place. */
const placed = (natural: string): QueuedExchange => ({ ...queued(natural), former: { state: 'landed' } });

const inOrder = (items: readonly QueuedExchange[]) => items.toSorted((a, b) => (a.order < b.order ? -1 : 1));

/** An order in which exchanges of these positions are placed, and what was undone. */
function orderOf(positions: readonly string[], stepsKept = 100) {
  const undone: string[] = [];
  const order = new PlacementOrder(() => undone.push('all'), stepsKept);
  const add = (...items: readonly QueuedExchange[]) => {
    for (const item of items)
      order.add(item, { undo: () => undone.push(item.id), changes: [] } satisfies IndexStep, { state: 'landed' });
  };
  add(...positions.map(queued));
  const orders = () => order.applied.map((one) => one.order);
  /** Moves exchanges behind the one at a position, and places what has to be placed again. */
  const move = (ids: readonly string[], mover: string) => {
    const again = inOrder(order.moveBehind(ids, queued(mover)));
    add(...again);
    return again.map((one) => one.order);
  };
  return { order, add, undone, orders, move };
}

describe('exchanges from a position on', () => {
  test('are undone, the last one first, and have to be placed again', () => {
    const { order, undone, orders } = orderOf(['a', 'b', 'c', 'd']);
    expect(order.undoFrom('bb')).toEqual(['c', 'd'].map(placed));
    expect(undone).toEqual(['xd', 'xc']);
    expect(orders()).toEqual(['a', 'b']);
    expect(order.undoFrom('b')).toEqual([placed('b')]);
    expect(order.undoFrom('b')).toEqual([]);
    expect(undone).toEqual(['xd', 'xc', 'xb']);
  });

  test('are all, if one of them can no longer be undone', () => {
    const one = orderOf(['a', 'b', 'c', 'd'], 3);
    expect(one.order.undoFrom('b').map(({ id }) => id)).toEqual(['xb', 'xc', 'xd']);
    expect(one.undone).toEqual(['xd', 'xc', 'xb']);
    const all = orderOf(['a', 'b', 'c', 'd', 'e'], 3);
    expect(all.order.undoFrom('b').map(({ id }) => id)).toEqual(['xa', 'xb', 'xc', 'xd', 'xe']);
    expect([all.undone, all.orders()]).toEqual([['all'], []]);
  });
});

test('a version of an exchange is placed until its facts are stored', () => {
  const { order, orders } = orderOf(['a', 'b', 'c']);
  expect([order.has('xa', 'c1'), order.has('xa', 'c2'), order.has('xd', 'c1')]).toEqual([true, false, false]);
  order.dropTo('b');
  expect(orders()).toEqual(['c']);
  expect([order.has('xa', 'c1'), order.has('xb', 'c1'), order.has('xc', 'c1')]).toEqual([false, false, true]);
  order.dropTo('bb');
  expect(orders()).toEqual(['c']);
});

describe('exchanges that continue a later one', () => {
  test('are moved behind it, and all between are placed again', () => {
    const { move, undone, orders } = orderOf(['a', 'b', 'c', 'd', 'e']);
    expect(move(['xb', 'xd', 'unknown'], 'e')).toEqual(['c', 'e', 'e~b', 'e~d']);
    expect(undone).toEqual(['xe', 'xd', 'xc', 'xb']);
    expect(orders()).toEqual(['a', 'c', 'e', 'e~b', 'e~d']);
    expect(move([], 'e')).toEqual([]);
  });

  test('move behind each only once, so that two that continue each other come to rest', () => {
    const { move, orders } = orderOf(['a', 'b', 'c']);
    move(['xa'], 'b');
    expect(orders()).toEqual(['b', 'b~a', 'c']);
    expect(move(['xa'], 'b')).toEqual([]);
    move(['xa'], 'c');
    expect(orders()).toEqual(['b', 'c', 'c~a']);
    expect(move(['xa'], 'b')).toEqual([]);
    expect(move(['xa'], 'c')).toEqual([]);
  });

  test('stay there when an exchange comes that is later than both', () => {
    const { order, move, orders } = orderOf(['a', 'b', 'c', 'd']);
    move(['xa'], 'c');
    expect(order.undoFrom('d').map((one) => one.order)).toEqual(['d']);
    expect(orders()).toEqual(['b', 'c', 'c~a']);
  });

  test('begin again at their start when one comes that is before what they continue', () => {
    const { order, add, move, orders } = orderOf(['a', 'b', 'c', 'd']);
    move(['xa'], 'c');
    add(...inOrder(order.undoFrom('bb')));
    expect(orders()).toEqual(['a', 'b', 'c', 'd']);
    // It may move behind the same exchange again.
    expect(move(['xa'], 'c')).toEqual(['b', 'c', 'c~a', 'd']);
    expect(inOrder(order.undoFrom('c')).map((one) => one.order)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('begin again with all that is behind the new one, if that is before them', () => {
    const { order, move } = orderOf(['a', 'b', 'c', 'd']);
    move(['xc'], 'd');
    expect(inOrder(order.undoFrom('b')).map((one) => one.order)).toEqual(['b', 'c', 'd']);
  });

  test('begin again, too, when it is undone for another of them', () => {
    const { order, move, orders } = orderOf(['a', 'b', 'c', 'd', 'e', 'f']);
    // Found in this order, the first of them is affected only by the second one.
    move(['xb'], 'd');
    move(['xc'], 'f');
    expect(orders()).toEqual(['a', 'd', 'd~b', 'e', 'f', 'f~c']);
    expect(inOrder(order.undoFrom('ee')).map((one) => one.order)).toEqual(['b', 'c', 'd', 'e', 'f']);
    expect(orders()).toEqual(['a']);
  });
});
