import { expect, onTestFinished, test } from 'vitest';
import { converse, findEntry } from './conversations.ts';
import { startWorld } from './world.ts';

/** How many tests of ten conversations each; `npm run torture` holds more. */
const TESTS = Number(process.env.SKEIN_KILLS ?? 4);
const CONVERSATIONS = 10;
const FIRST = Number(process.env.SKEIN_SEED ?? 1);

test.each(Array.from({ length: TESTS }, (_, index) => FIRST + index * CONVERSATIONS))(
  'ten random conversations from seed %i: nothing is refused, lost silently or misread, and reasoning goes back',
  async (first) => {
    const world = await startWorld('conversations');
    onTestFinished(() => world.close());
    const faults: string[] = [];
    const total = { requests: 0, restored: 0 };
    for (let seed = first; seed < first + CONVERSATIONS; seed++) {
      const judged = await converse(world, seed);
      faults.push(...judged.faults);
      total.requests += judged.requests;
      total.restored += judged.restored;
    }
    console.log(`${total.requests} requests, ${total.restored} opaque strings restored`);
    expect(faults).toEqual([]);
    expect(total.restored).toBeGreaterThan(CONVERSATIONS);
  },
);

test('judges a request by what the provider got of it, though the request of a client that has left came later', () => {
  const [asked, left] = ['{"max_tokens": 4029}', '{"max_tokens":4733,"text":"4029"}'].map((text) => ({
    body: Buffer.from(text),
  }));
  expect(findEntry([asked!, left!], 4029)).toBe(asked);
  expect(findEntry([asked!, left!], 4001)).toBe(left);
});
