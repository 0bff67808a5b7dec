// Records a program's requests into a forest and replays them without the provider. No key and no network are needed.
import { says, startEmulator } from '@skein/emulator';
import { listExchanges, openForest, recordFetch } from '@skein/forest';

const emulator = await startEmulator();
emulator.script('openai-chat', [says('Hello to you.'), says('Still here.')]);
const forest = await openForest(':memory:');
const fetch = recordFetch(forest, { tags: ['example'] });

/**
 * Any SDK would do: all of them take a fetch. This one asks by hand.
 * @param {typeof globalThis.fetch} fetch
 * @param {{ role: string, content: string }[]} messages
 */
async function ask(fetch, messages) {
  const response = await fetch(`${emulator.baseUrl('openai-chat')}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-secret', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5.5', messages }),
  });
  return JSON.parse(await response.text()).choices[0].message;
}

const messages = [{ role: 'user', content: 'Hello' }];
messages.push(await ask(fetch, messages), { role: 'user', content: 'And now?' });
messages.push(await ask(fetch, messages));
await fetch.settled();
await emulator.close();

const [thread] = (await forest.threads.list()).items;
const path = await forest.path(thread?.head ?? 'root');
console.log('One conversation:', path.map(({ role, message }) => `${role}: ${message.text}`).join(' | '));
const { items } = await listExchanges(forest, { tag: 'example' });
console.log(`${items.length} exchanges, the key in none of them: ${!JSON.stringify(items).includes('sk-secret')}`);

const offline = recordFetch(forest, { mode: 'replay' });
const answer = await ask(offline, [{ role: 'user', content: 'Hello' }]);
console.log(`Replayed, with the provider gone: ${answer.content}`);
await forest.close();
