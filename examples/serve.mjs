// The server inside your own program: the API, and recording the calls of any client. No key and no network are needed.
import { loadConfig } from '@skein/agents';
import { says, startEmulator } from '@skein/emulator';
import { openForest } from '@skein/forest';
import { createServer } from '@skein/server';
import { client } from '@skein/server/client';

const emulator = await startEmulator();
emulator.script('anthropic-messages', says('Hello from the other side.'));
const env = emulator.env();
const { config } = await loadConfig({ env });
const forest = await openForest(':memory:');
const server = await createServer({ forest, config, env }).listen({ port: 0 });

// Any client of the provider works; only its base URL changes.
const response = await fetch(`${server.url}/proxy/anthropic/v1/messages`, {
  method: 'POST',
  headers: { 'x-api-key': 'any', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'claude-sonnet-5',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Anyone there?' }],
  }),
});
console.log(`Answer: ${JSON.parse(await response.text()).content[0].text}`);

// The recording is stored after the response.
const api = client(server.url);
for (let recorded = ''; !recorded.includes('"head"'); ) {
  recorded = await (await api.threads.$get({ query: {} })).text();
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const [thread] = (await forest.threads.list()).items;
const path = await forest.path(thread?.head ?? 'root');
console.log(`Recorded: ${path.map(({ role }) => role).join(', ')}`);

await server.close();
await forest.close();
await emulator.close();
