// Clients of others, recorded: an emulator, a server whose proxy records in front of it, and the question whether the recording
// equals what the emulator received and sent.
import { setTimeout as wait } from 'node:timers/promises';
import { loadConfig } from '@skein/agents';
import { startEmulator } from '@skein/emulator';
import { createForest, listExchanges, memoryStore, readRecorded } from '@skein/forest';
import { createServer } from '@skein/server';

/** @import { Emulator } from '@skein/emulator' */
/** @import { Forest, RecordedExchange } from '@skein/forest' */

/**
 * @typedef {object} World
 * @property {Emulator} emulator
 * @property {Forest} forest
 * @property {string} url of the server; its proxy is under `/proxy`
 * @property {() => Promise<void>} close
 */

/** The key that clients send. It must not be found in a recording. */
export const CLIENT_KEY = 'sk-client-0123456789-of-a-person';

/**
 * @param {Readonly<Record<string, string>>} [credentials] of the server, for clients whose requests it signs
 * @returns {Promise<World>}
 */
export async function startRecording(credentials = {}) {
  const emulator = await startEmulator({ seed: 'recorded', sleep: async () => {} });
  const forest = createForest(memoryStore());
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const vertex = { ANTHROPIC_VERTEX_BASE_URL: emulator.url, GOOGLE_VERTEX_BASE_URL: emulator.url };
  const env = { ...emulator.env(), ...vertex, ...credentials };
  const server = await createServer({ forest, config, env }).listen({ port: 0 });
  return {
    emulator,
    forest,
    url: server.url,
    close: async () => {
      await server.close();
      await emulator.close();
    },
  };
}

/**
 * What was recorded, oldest first, when each request that the emulator received has its place.
 * @param {World} world
 * @returns {Promise<RecordedExchange[]>}
 */
export async function readRecording({ emulator, forest }) {
  const placed = async () => (await listExchanges(forest, { order: 'oldest' })).items.filter(({ landing }) => landing);
  const patience = Date.now() + 20_000;
  while ((await placed()).length < emulator.log.length && Date.now() < patience) await wait(50);
  const exchanges = await placed();
  const read = await Promise.all(exchanges.map(({ id }) => readRecorded(forest, id)));
  return read.flatMap((one) => one ?? []);
}

/**
 * How the recording differs from what the emulator received and sent, in bytes; over a WebSocket, frame by frame.
 * @param {{ emulator: Pick<Emulator, 'log'> }} world
 * @param {readonly RecordedExchange[]} recording
 * @returns {string[]}
 */
export function compareBytes({ emulator }, recording) {
  const { log } = emulator;
  const problems = [];
  if (recording.length !== log.length)
    problems.push(`${log.length} requests arrived and ${recording.length} were recorded`);
  for (const [index, { request = new Uint8Array(), response, exchange }] of recording.entries()) {
    const seen = log[index];
    if (!seen) break;
    const name = `request ${index + 1} (${seen.method} ${seen.path})`;
    if (!seen.body.equals(request)) problems.push(`${name}: its bytes differ from the recorded ones`);
    const text = Buffer.from(response).toString();
    const isSame =
      seen.method === 'WEBSOCKET' && seen.served?.status === 200
        ? readFrames(text).join('\n') === seen.served.body.toString()
        : seen.served?.body.equals(response);
    if (!isSame) problems.push(`${name}: its answer differs from the recorded one`);
    if (`${text}${Buffer.from(request)}${JSON.stringify(exchange)}`.includes(CLIENT_KEY))
      problems.push(`${name}: the key is in the recording`);
  }
  return problems;
}

/** The frames that a socket sent are recorded as events. @param {string} text */
function readFrames(text) {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data);
}
