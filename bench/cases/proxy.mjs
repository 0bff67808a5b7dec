// Many streams at once through the recording proxy, against a plain pass-through to the same provider.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** @import { Contestant } from '../measure.mjs' */

const STREAMS = 500;

/** The contestants, the times to their first bytes, and the memory that Skein holds when it has nothing to do. */
export async function proxyCase() {
  const provider = await start('provider');
  const plain = await start('plain', provider.url);
  const skein = await start('skein', provider.url);
  /** @type {Map<string, number[]>} */
  const firstBytes = new Map();
  let asked = 0;
  /** @param {string} name @param {Part} part @returns {Contestant} */
  const contestant = (name, part) => ({
    name,
    prepare: () => Promise.all([plain.idle(), skein.idle()]),
    async run() {
      const agent = new http.Agent({ keepAlive: true });
      const waits = await Promise.all(Array.from({ length: STREAMS }, () => ask(part.url, agent, asked++)));
      agent.destroy();
      const middle = waits.toSorted((a, b) => a - b)[STREAMS / 2] ?? Number.NaN;
      firstBytes.set(name, [...(firstBytes.get(name) ?? []), middle]);
    },
  });
  return {
    contestants: [contestant('floor', plain), contestant('skein', skein)],
    firstBytes,
    async memory() {
      await skein.idle();
      return skein.memory();
    },
    end: () => [plain, skein, provider].forEach((part) => void part.stop()),
  };
}

/**
 * Reads one stream to its end and gives the milliseconds to its first byte.
 * @param {string} url
 * @param {http.Agent} agent
 * @param {number} count
 * @returns {Promise<number>}
 */
function ask(url, agent, count) {
  const body = JSON.stringify({ model: 'gpt-5', stream: true, messages: [{ role: 'user', content: `Say ${count}` }] });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    let first = Number.NaN;
    const request = http.request(`${url}/proxy/openai/v1/chat/completions`, { method: 'POST', headers, agent });
    request.on('error', reject);
    request.on('response', (response) => {
      response.once('data', () => {
        first = performance.now() - begun;
      });
      let last = '';
      response.on('data', (bytes) => {
        last = bytes.toString('latin1');
      });
      response.on('end', () => (last.includes('[DONE]') ? resolve(first) : reject(new Error('a stream was cut'))));
      response.on('error', reject);
    });
    request.end(body);
  });
}

/** @typedef {Awaited<ReturnType<typeof start>>} Part */

/**
 * @param {string} role
 * @param {string} [upstream]
 */
async function start(role, upstream = '') {
  const script = fileURLToPath(new URL('../proxy-parts.mjs', import.meta.url));
  const child = fork(script, [role, upstream], { execArgv: ['--expose-gc'] });
  const [{ port }] = await once(child, 'message');
  const look = async (wish = 'cpu') => {
    child.send(wish);
    const [facts] = await once(child, 'message');
    return /** @type {{ cpu: number, heap: number }} */ (facts);
  };
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => child.disconnect(),
    memory: async () => (await look('memory')).heap,
    /** Waits until it has written down what it was given. */
    async idle() {
      for (let before = await look(); ; ) {
        await sleep(300);
        const now = await look();
        if (now.cpu - before.cpu < 60) return;
        before = now;
      }
    },
  };
}
