import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClock } from '../model/clock.ts';
import { memoryStore } from '../store/index.ts';
import { withClaim } from './generation.ts';

test('whatever order writes and reads come in, one works at a time, and everyone gets a turn', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 4 }), async (scheduler, count) => {
      const shared = memoryStore();
      let working = 0;
      let most = 0;
      const turns = Array.from({ length: count }, (_, index) => {
        const store = {
          ...shared,
          writer: `w${index}-${Math.random()}`,
          append: scheduler.scheduleFunction(shared.append),
          refs: scheduler.scheduleFunction(shared.refs),
          isAlive: async () => true,
        };
        return withClaim({ store, clock: createClock(store.writer) }, 'the same', async () => {
          most = Math.max(most, ++working);
          await scheduler.schedule(Promise.resolve(), 'working');
          working--;
        });
      });
      await scheduler.waitFor(Promise.all(turns));
      expect(most).toBe(1);
    }),
    { numRuns: 40 },
  );
});

test('a claim of the living is seen behind any number of claims that the dead left', async () => {
  const shared = memoryStore();
  const dead = createClock('dead');
  await shared.append(
    Array.from({ length: 1500 }, (_, index) => ({
      k: 'ref' as const,
      on: 'forest' as const,
      key: 'engine',
      name: `dead${index}`,
      value: ['the same'],
      clock: dead.tick(),
    })),
  );
  const contextOf = (writer: string) => ({
    store: { ...shared, writer, isAlive: async (name: string) => !name.startsWith('dead') },
    clock: createClock(writer),
  });
  const order: string[] = [];
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const first = contextOf('first');
  const second = contextOf('second');
  await new Promise<void>((begun) => {
    void withClaim(first, 'the same', async () => {
      begun();
      await held;
      order.push('first');
    });
  });
  const waits = withClaim(second, 'the same', async () => void order.push('second'));
  setTimeout(letGo, 50);
  await waits;
  expect(order).toEqual(['first', 'second']);
});
