import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClock } from '../model/index.ts';
import { memoryStore } from '../store/index.ts';
import { inTurnOfAll } from './claims.ts';

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
        return inTurnOfAll({ store, clock: createClock(store.writer) }, 'the same', async () => {
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
