// What must work with every provider, from the first message to continuing another provider's conversation.
import assert from 'node:assert/strict';
import { MessageList, run, system, tool, user } from '@skein/core';
import { createForest, listExchanges, memoryStore, recordFetch } from '@skein/forest';

/** @import { Asked } from './providers.mjs' */

/** @typedef {{ name: string, run(asked: Asked, others: readonly Asked[]): Promise<void> }} Scenario */

const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city. Use it whenever weather is asked for.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => `It is 21 degrees and sunny in ${city}.`,
});

/**
 * @param {Asked} asked
 * @param {Partial<Parameters<typeof run>[0]> & { messages: Parameters<typeof run>[0]['messages'] }} more
 */
const ask = ({ provider, model, apiKey, baseUrl }, more) =>
  run({ model: `${provider}/${model}`, apiKey, ...(baseUrl && { baseUrl }), ...more }).result;

/** @type {readonly Scenario[]} */
export const SCENARIOS = [
  {
    name: 'answers, in one piece and as a stream',
    async run(asked) {
      for (const stream of [false, true]) {
        const { text, usage } = await ask(asked, { stream, messages: [system('Be brief.'), user('Say hello.')] });
        assert.ok(text.length > 0 && usage !== undefined);
      }
    },
  },
  {
    name: 'calls a tool and goes on',
    async run(asked) {
      const { messages } = await ask(asked, { tools: [weather], messages: [user('What is the weather in Oslo?')] });
      assert.ok(
        messages.some(({ toolResults }) => toolResults.length > 0),
        'no tool was called',
      );
      assert.ok((messages.at(-1)?.text.length ?? 0) > 0);
    },
  },
  {
    name: 'takes its own words back after saving and loading',
    async run(asked) {
      const list = new MessageList([user('What is the weather in Rome?')]);
      const first = await ask(asked, { tools: [weather], messages: list });
      const again = MessageList.fromJSON(JSON.stringify(list.extend(first.messages)));
      const { text, losses } = await ask(asked, { tools: [weather], messages: again.append(user('And in one word?')) });
      assert.ok(text.length > 0);
      assert.deepEqual(
        (losses ?? []).filter(({ kind }) => kind === 'dropped'),
        [],
      );
    },
  },
  {
    name: "goes on with the others' words, and they with its",
    async run(asked, others) {
      const list = new MessageList([user('What is the weather in Lima?')]);
      list.extend((await ask(asked, { tools: [weather], messages: list })).messages);
      for (const other of others) {
        list.append(user('Thank you. Say that again, please.'));
        list.extend((await ask(other, { tools: [weather], messages: list })).messages);
      }
      list.append(user('And once more.'));
      assert.ok((await ask(asked, { tools: [weather], messages: list })).text.length > 0);
    },
  },
  {
    name: 'is recorded as one conversation',
    async run(asked) {
      const forest = createForest(memoryStore());
      const fetch = recordFetch(forest);
      const list = new MessageList([user('Name a river.')]);
      for (let turn = 0; turn < 2; turn++) {
        const { messages } = await ask(asked, { fetch, messages: list });
        list.extend(messages).append(user('Another one.'));
      }
      await fetch.settled();
      const { items } = await listExchanges(forest);
      assert.equal(items.length, 2);
      assert.equal((await forest.threads.list()).items.length, 1);
    },
  },
  {
    name: 'refuses a wrong key with an error that has no key in it',
    async run(asked) {
      const error = await ask({ ...asked, apiKey: 'sk-wrong-0123456789' }, { messages: [user('Hi')] }).catch(
        (thrown) => thrown,
      );
      assert.ok(error instanceof Error && !error.message.includes('sk-wrong'));
    },
  },
];
