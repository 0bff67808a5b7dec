import { expect, it } from 'vitest';
import { EventLog } from './run.ts';

async function all<T>(log: EventLog<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const event of log.read()) seen.push(event);
  return seen;
}

it('every reader sees everything, whenever it comes', async () => {
  const log = new EventLog<number>();
  const early = all(log);
  log.push(1);
  const middle = all(log);
  await Promise.resolve();
  log.push(2);
  log.end();
  expect(await early).toEqual([1, 2]);
  expect(await middle).toEqual([1, 2]);
  expect(await all(log)).toEqual([1, 2]);
});

it('a failure comes behind all events', async () => {
  const log = new EventLog<number>();
  log.push(1);
  log.fail(new Error('over'));
  const reader = log.read();
  expect((await reader.next()).value).toBe(1);
  await expect(reader.next()).rejects.toThrow('over');
});
