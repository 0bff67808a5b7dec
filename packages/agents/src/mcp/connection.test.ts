import { expect, test } from 'vitest';
import { connection } from './connection.ts';
import { classifyFailure, type Link } from './link.ts';

const never = new AbortController().signal;
const linkThat = (request: Link['request']): Link => ({
  request,
  classifyFailure,
  onClose: () => {},
  close: async () => {},
  protocol: undefined,
  offers: { prompts: false, resources: false },
});

test('a server that fails is not started again before the wait is over', async () => {
  let starts = 0;
  const open = async (): Promise<Link> => {
    starts++;
    throw new Error('no such program');
  };
  const kept = connection({ name: 'x', open, callMs: 1_000, backoffMs: { first: 1e6, longest: 1e7 } });
  expect(kept.resting()).toBeUndefined();
  await expect(kept.request('a', {}, never)).rejects.toThrow('"x" could not be started: no such program');
  expect(kept.resting()).toBe('no such program');
  const stop = new AbortController();
  const waiting = kept.request('a', {}, stop.signal);
  stop.abort(new Error('given up'));
  await expect(waiting).rejects.toThrow('given up');
  expect(starts).toBe(1);
  const another = kept.request('a', {}, never);
  await kept.close();
  await expect(another).rejects.toThrow('was closed');
  await expect(kept.request('a', {}, never)).rejects.toThrow('was closed');
  expect(starts).toBe(1);
});

test('waits grow with every failure and begin anew after an answer', async () => {
  const waits: number[] = [];
  let fails = true;
  const open = async (): Promise<Link> => {
    if (fails) throw new Error('not yet');
    return linkThat(async () => 'answer');
  };
  const wait = (ms: number) => {
    waits.push(ms);
    return Promise.resolve();
  };
  const kept = connection({
    name: 'x',
    open,
    callMs: 1_000,
    backoffMs: { first: 100, longest: 500 },
    now: () => 0,
    wait,
  });
  for (let tries = 0; tries < 5; tries++) await expect(kept.request('a', {}, never)).rejects.toThrow('not yet');
  fails = false;
  expect(await kept.request('a', {}, never)).toBe('answer');
  expect(waits).toEqual([0, 100, 200, 400, 500, 500]);
});

test('calls that come together share one start', async () => {
  let starts = 0;
  const open = async () => {
    starts++;
    return linkThat(async (method) => method);
  };
  const kept = connection({ name: 'x', open, callMs: 1_000 });
  expect(await Promise.all(['a', 'b', 'c'].map((method) => kept.request(method, {}, never)))).toEqual(['a', 'b', 'c']);
  expect(starts).toBe(1);
});

test('a request that may have had an effect is never sent twice', async () => {
  let sent = 0;
  const open = async () =>
    linkThat(async () => {
      sent++;
      throw new Error('socket hang up');
    });
  const kept = connection({ name: 'x', open, callMs: 1_000 });
  await expect(kept.request('a', {}, never)).rejects.toThrow('It may or may not have had an effect.');
  expect(sent).toBe(1);
});
