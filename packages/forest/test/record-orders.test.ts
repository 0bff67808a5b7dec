import { memoryStore, reproject } from '@skein/forest';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../scripts/test-shares.ts';
import { sharedProjector } from '../src/record/projection/projector.ts';
import { type Recorded, recordsOf, seen } from './record-exchanges.ts';
import { newForest } from './record-kit.ts';
import { assistant, chatTurn, poll, projected, response, responsesTurn, user } from './record-projection-kit.ts';

/** Conversations of several clients: some keep everything, some drop thoughts; they retry, edit and chain responses. */
const exchangesArb = fc
  .array(
    fc.record({
      client: fc.integer({ min: 0, max: 2 }),
      text: fc.constantFrom('a', 'b', 'c'),
      answer: fc.constantFrom('x', 'y', 'z'),
      act: fc.constantFrom('ask', 'ask', 'ask', 'retry', 'edit', 'fail', 'chain', 'background', 'poll', 'lost'),
      thoughts: fc.boolean(),
      system: fc.constantFrom(undefined, 'S', 'T'),
      sameTime: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((acts) => {
    const histories: object[][] = [[], [], []];
    const chains: (string | undefined)[] = [undefined, undefined, undefined];
    const pending: string[] = [];
    let start = 1;
    return acts.map(({ client, text, answer, act, thoughts, system, sameTime }, index): Recorded => {
      const id = `x${String(index).padStart(2, '0')}`;
      if (!sameTime) start += 1;
      if (act === 'poll' && pending.length > 0) {
        const asked = pending[index % pending.length]!;
        return poll(id, start, asked, response(asked, index % 3 === 0 ? 'in_progress' : 'completed', answer));
      }
      if (act === 'chain' || act === 'background' || act === 'lost') {
        const previous = act === 'lost' ? 'resp_never' : chains[client];
        const own = `resp_${id}`;
        chains[client] = own;
        if (act === 'background') pending.push(own);
        const body = response(
          own,
          act === 'background' ? 'queued' : 'completed',
          act === 'background' ? undefined : answer,
        );
        return responsesTurn(id, start, { input: text, ...(previous && { previous_response_id: previous }) }, body);
      }
      const history = histories[client]!;
      const base = act === 'retry' ? history.slice(0, -2) : act === 'edit' ? history.slice(0, -4) : history;
      const messages = [...base, user(text)];
      const reply = { ...assistant(answer), ...(thoughts && { reasoning_content: `${id}?` }) };
      if (act === 'fail')
        return { ...chatTurn(id, start, messages, reply), outcome: 'refused', response: '{"error":{"message":"no"}}' };
      histories[client] = [...messages, assistant(answer)];
      return chatTurn(id, start, [...(system ? [{ role: 'system', content: system }] : []), ...messages], reply);
    });
  });

test('whatever order exchanges arrive in, how often, and when it is projected: the tree is the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      exchangesArb.chain((recorded) =>
        fc.record({
          recorded: fc.constant(recorded),
          order: fc.shuffledSubarray([...recorded, ...recorded, ...recorded.slice(0, 3)], {
            minLength: recorded.length * 2 + Math.min(3, recorded.length),
          }),
          runs: fc.infiniteStream(fc.constantFrom('no', 'no', 'incremental', 'again', 'both')),
        }),
      ),
      async ({ recorded, order, runs }) => {
        const expected = await seen(await projected(recorded));
        const store = memoryStore();
        const forest = newForest(store);
        for (const one of order) {
          await store.append(recordsOf(one));
          const run = runs.next().value;
          if (run === 'incremental') await sharedProjector(forest).run();
          if (run === 'again') await reproject(forest);
          if (run === 'both')
            await Promise.all([sharedProjector(forest).run(), reproject(newForest({ ...store, writer: 'other' }))]);
        }
        await sharedProjector(forest).run();
        const actual = await seen(store);
        const { redirects, ...visible } = actual;
        const { redirects: _, ...wanted } = expected;
        expect(visible).toEqual(wanted);
        const there = new Set(actual.nodes);
        const target = new Map(redirects);
        for (const [, to] of redirects) {
          let at: string | undefined = to;
          while (at !== undefined && target.has(at)) at = target.get(at);
          expect(there.has(at!) || /^0+$/.test(at!)).toBe(true);
        }
      },
    ),
    { numRuns: runs(150) },
  );
});
