// Many streams at once through the recording proxy, against a plain pass-through to the same provider.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** @import { Contestant } from '../measure.mjs' */

const STREAMS = 500;
/** A process that uses less than a tenth of the CPU for this long is idle. */
const QUIET_MS = 600;
const PATIENCE_MS = 60_000;

/**
 * The contestants; per round the time to the middle first byte, the CPU that each proxy needed until the clients had
 * everything, and until all was written; and the memory that Skein holds when it has nothing to do: in the beginning, at
 * the end, and in a new process on what was recorded, which holds nothing but what it needs.
 */
export async function proxyCase() {
  const provider = await start('provider');
  const plain = await start('plain', provider.url);
  const folder = mkdtempSync(join(tmpdir(), 'skein-bench-proxy-'));
  const skein = await start('skein', provider.url, folder);
  const fresh = await skein.memory();
  const firstBytes = rounds();
  const passing = rounds();
  const whole = rounds();
  let asked = 0;
  /** @type {() => Promise<unknown>} */
  let finish = async () => undefined;
  /** @param {string} name @param {Part} part @returns {Contestant} */
  const contestant = (name, part) => ({
    name,
    async prepare() {
      await finish();
      return part.cpu();
    },
    async run(before) {
      const agent = new http.Agent({ keepAlive: true });
      const waits = await Promise.all(Array.from({ length: STREAMS }, () => ask(part.url, agent, asked++)));
      agent.destroy();
      const passed = part.cpu();
      finish = async () => {
        firstBytes.add(name, waits.toSorted((a, b) => a - b)[STREAMS / 2] ?? Number.NaN);
        passing.add(name, (await passed) - before);
        whole.add(name, (await part.idle()) - before);
        finish = async () => undefined;
      };
    },
  });
  return {
    contestants: [contestant('floor', plain), contestant('skein', skein)],
    times: { firstBytes: firstBytes.all, passing: passing.all, whole: whole.all },
    finish: () => finish(),
    async memory() {
      const behind = await skein.memory();
      await skein.stop();
      const again = await start('skein', provider.url, folder);
      await ask(again.url, new http.Agent(), asked++);
      await again.idle();
      const anew = await again.memory();
      await again.stop();
      return { fresh, behind, anew };
    },
    async end() {
      await Promise.all([plain, skein, provider].map((part) => part.stop()));
      rmSync(folder, { recursive: true });
    },
  };
}

function rounds() {
  /** @type {Map<string, number[]>} */
  const all = new Map();
  /** @param {string} name @param {number} value */
  const add = (name, value) => all.set(name, [...(all.get(name) ?? []), value]);
  return { all, add };
}

/**
 * Reads one stream to its end; returns the milliseconds until its first byte.
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
 * @param {string} [folder]
 */
export async function start(role, upstream = '', folder = '') {
  const script = fileURLToPath(new URL('../proxy-parts.mjs', import.meta.url));
  const child = fork(script, [role, upstream, folder], { execArgv: ['--expose-gc'] });
  const [{ port }] = await once(child, 'message');
  const look = async (wish = 'cpu') => {
    child.send(wish);
    const [facts] = await once(child, 'message');
    return /** @type {{ cpu: number, heap: number, peak: number }} */ (facts);
  };
  const cpu = async () => (await look()).cpu;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (!child.connected) return;
      child.disconnect();
      await once(child, 'exit');
    },
    memory: async () => (await look('memory')).heap,
    /** The most memory that the process has had, in bytes. */
    peak: async () => (await look()).peak,
    cpu,
    /** Waits until it has stored everything; returns the CPU time since its start. */
    async idle() {
      for (let before = await cpu(), tries = 0; ; tries++) {
        await sleep(QUIET_MS);
        const now = await cpu();
        if (now - before < QUIET_MS / 10) return now;
        if (tries * QUIET_MS > PATIENCE_MS) throw new Error(`the ${role} part was still busy after a minute`);
        before = now;
      }
    },
  };
}
