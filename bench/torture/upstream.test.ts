import { readRecorded } from '@skein/forest';
import { expect, test } from 'vitest';
import { startWorld } from '../../packages/server/test/kit.ts';
import { wire } from '../../packages/server/test/proxy-kit.ts';
import { landed } from './landed.ts';
import { FAULTS, startBadUpstream } from './upstream.ts';

/** `npm run torture` runs more. */
const ROUNDS = Number(process.env.SKEIN_KILLS ?? 20) * 2;

test(`a provider that cuts, stalls, trickles and sends garbage, ${ROUNDS} times: its bytes reach the client and the record`, async () => {
  let asked = 0;
  const upstream = await startBadUpstream(() => ({
    fault: FAULTS[asked++ % FAULTS.length]!,
    at: Math.random(),
  }));
  const errors: unknown[] = [];
  const log = { info: () => undefined, error: (...facts: unknown[]) => void errors.push(facts) };
  const { server, forest, api } = await startWorld({ env: { OLLAMA_BASE_URL: upstream.url }, log });
  const sizes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: `Hello ${round}` }] });
    const headers = { 'content-type': 'application/json' };
    const got = await wire(`${server.url}/proxy/ollama/v1/chat/completions`, { method: 'POST', headers, body });
    const { fault, bytes } = upstream.sent.at(-1)!;
    if (fault === 'reset') expect([round, fault, got.status]).toEqual([round, fault, 502]);
    else expect([round, fault, got.bytes.equals(bytes)]).toEqual([round, fault, true]);
    expect([fault, got.broken]).toEqual([fault, fault === 'cut' || fault === 'stall']);
    sizes.push(bytes.length);
  }
  const exchanges = await landed(forest, ROUNDS);
  const kept = await Promise.all(exchanges.map(async ({ id }) => (await readRecorded(forest, id))?.response.length));
  expect(kept.sort()).toEqual(sizes.sort());
  expect((await api('GET', '/health')).status).toBe(200);
  expect(await forest.fsck()).toEqual([]);
  expect(errors).toEqual([]);
  await upstream.close();
});
