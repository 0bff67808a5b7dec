/** What clients of the gateway get while the store is away. */
import { createForest, listExchanges, memoryStore, type Store, StoreError } from '@skein/forest';
import { expect, test } from 'vitest';
import { connect } from './gateway-kit.ts';
import { startWorld } from './kit.ts';

/** A forest whose store refuses some of its operations while it is away. */
function fragileForest(names: readonly (keyof Store)[]) {
  const store = memoryStore();
  const state = { isAway: false };
  const guarded = names.map((name) => {
    const operation = store[name] as (...given: unknown[]) => Promise<unknown>;
    const refused = new StoreError('store_unreachable', 'The database is away.');
    return [name, (...given: unknown[]) => (state.isAway ? Promise.reject(refused) : operation(...given))];
  });
  return { forest: createForest({ ...store, ...Object.fromEntries(guarded) }), state };
}

test.each(['chat', 'anthropic'] as const)(
  'a client that speaks %s is answered while nothing can be written, and its replies are restored and stored',
  async (client) => {
    const { forest, state } = fragileForest(['append']);
    const world = await startWorld({ forest });
    const conversation = connect(client, world.server.url, true);
    await conversation.say('Before', 'google/gemini-3.6-flash');
    state.isAway = true;
    await conversation.say('During', 'google/gemini-3.6-flash');
    await conversation.say('Still', 'google/gemini-3.6-flash');
    const metrics = await (await fetch(`${world.server.url}/metrics`)).text();
    expect(metrics).toMatch(/^skein_recordings_waiting 2$/m);
    state.isAway = false;
    await expect.poll(async () => (await listExchanges(forest)).items.filter(({ landing }) => landing).length).toBe(3);
    const [thread] = (await forest.threads.list()).items;
    const texts = (await forest.path(thread!.head)).map(({ message }) => message.text);
    expect(texts.filter((_, at) => at % 2 === 0)).toEqual(['Before', 'During', 'Still']);
  },
);

test('a client whose history cannot be looked up gets an error of its own protocol, and an answer when it asks again', async () => {
  const { forest, state } = fragileForest(['append', 'refs', 'entry', 'entries', 'nodes', 'bodies', 'changes']);
  const world = await startWorld({ forest });
  const ask = async () => {
    const response = await fetch(`${world.server.url}/gateway/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer skein' },
      body: JSON.stringify({ model: 'google/gemini-3.6-flash', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    return { status: response.status, body: (await response.json()) as object };
  };
  state.isAway = true;
  const { status, body } = await ask();
  expect(status).toBe(503);
  expect(body).toMatchObject({ error: { message: expect.any(String), type: expect.any(String) } });
  state.isAway = false;
  expect(await ask()).toMatchObject({ status: 200 });
});
