import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openForest } from '@skein/forest';
import { expect, test } from 'vitest';
import { question, startWorld } from '../../packages/server/test/kit.ts';
import { wire } from '../../packages/server/test/proxy-kit.ts';
import { landed } from './landed.ts';

/** `npm run torture` runs more. */
const ROUNDS = Number(process.env.SKEIN_KILLS ?? 20);
/** Rounds before the first measurement, in which everything is loaded once. */
const WARM_UP = 10;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test(`mixed load, ${ROUNDS} rounds: files, sockets and memory are given back`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'skein-soak-'));
  const forest = await openForest(folder);
  const { server, api, emulator } = await startWorld({ forest });
  let exchanges = 0;
  const work = async (round: number) => {
    const messages = [question(`Hello ${round}`)];
    const { id } = (await api('POST', '/nodes/root/messages', { messages })).body;
    const models = ['anthropic/claude-opus-5-5', 'openai/gpt-5.5'];
    const asked = models.map((model) => api('POST', '/generations', { node: id, model }));
    const body = JSON.stringify({
      model: 'gpt-5.5',
      stream: true,
      messages: [{ role: 'user', content: `Say ${round}` }],
    });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer k-12345678' };
    const proxied = Array.from({ length: 4 }, () =>
      wire(`${server.url}/proxy/openai/v1/chat/completions`, { method: 'POST', headers, body }),
    );
    const looked = ['/threads', `/search?q=Hello`, `/nodes/${id}`, '/recordings'].map((path) => api('GET', path));
    const [generated, streams, pages] = await Promise.all([
      Promise.all(asked),
      Promise.all(proxied),
      Promise.all(looked),
    ]);
    exchanges += streams.length;
    for (const { status } of [...generated, ...streams, ...pages]) expect(status).toBeLessThan(300);
  };
  for (let round = 0; round < WARM_UP; round++) await work(round);
  // The emulator runs in this process, too, and keeps its log.
  emulator.reset();
  const before = await used();
  for (let round = WARM_UP; round < WARM_UP + ROUNDS; round++) await work(round);
  await landed(forest, exchanges);
  emulator.reset();
  const after = await used();
  console.log(`soak: ${ROUNDS} rounds, ${JSON.stringify({ before, after })}`);
  expect(after.files).toBeLessThanOrEqual(before.files + 10);
  // The index grows with what is stored, and a cache of records fills; a leak of whole streams would be far more.
  expect((after.heap - before.heap) / ROUNDS).toBeLessThan(250_000);
  await server.close();
  await forest.close();
  await rm(folder, { recursive: true });
});

async function used(): Promise<{ files: number; heap: number; rss: number }> {
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const files = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
  return { files, heap: heapUsed + arrayBuffers, rss };
}
