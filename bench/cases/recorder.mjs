// What recording costs as a user runs it: a server process that records into files, against a pass-through of ten lines and
// against the least that a recorder has to do, each in a process of its own, all asked by this process, one workload after the
// other.
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prose, random } from '../data/words.mjs';
import { start } from './proxy.mjs';

/** @import { Part } from './proxy.mjs' */

/**
 * @typedef {object} Workload
 * @property {string} name
 * @property {string} reply what the provider answers with: `json <characters>`, `stream <deltas>` or `burst <deltas>`
 * @property {number} exchanges of one round
 * @property {number} atOnce how many exchanges are under way at the same time
 * @property {number} turns how long conversations get; each request sends the history again
 */

/** @type {readonly Workload[]} */
export const WORKLOADS = [
  { name: 'short JSON, one at a time', reply: 'json 600', exchanges: 200, atOnce: 1, turns: 1 },
  { name: 'short JSON, 8 at once', reply: 'json 600', exchanges: 800, atOnce: 8, turns: 1 },
  { name: 'conversations of 20 turns', reply: 'json 2000', exchanges: 400, atOnce: 8, turns: 20 },
  { name: 'long JSON (100 KB)', reply: 'json 100000', exchanges: 60, atOnce: 4, turns: 1 },
  { name: 'streams of 40 deltas', reply: 'stream 40', exchanges: 400, atOnce: 8, turns: 1 },
  { name: 'streams of 2,000 deltas', reply: 'stream 2000', exchanges: 10, atOnce: 4, turns: 1 },
  { name: 'streams of 2,000 deltas in large chunks', reply: 'burst 2000', exchanges: 20, atOnce: 4, turns: 1 },
];

/**
 * Measures all workloads, round by round; per workload the CPU milliseconds of each process for one exchange, until
 * everything is written and placed.
 * @param {{ rounds: number, warmUp: number, workloads?: readonly Workload[] }} options
 */
export async function measureRecorder({ rounds, warmUp, workloads = WORKLOADS }) {
  const provider = await start('provider');
  const plain = await start('plain', provider.url);
  const folders = Array.from({ length: 2 }, () => mkdtempSync(join(tmpdir(), 'skein-bench-recorder-')));
  const least = await start('least', provider.url, folders[0]);
  const skein = await start('skein', provider.url, folders[1]);
  const parts = { floor: plain, least, skein };
  try {
    /** @type {Map<string, Map<string, number[]>>} */
    const times = new Map(workloads.map(({ name }) => [name, new Map(Object.keys(parts).map((part) => [part, []]))]));
    for (let round = -warmUp; round < rounds; round++)
      for (const workload of workloads)
        for (const [name, part] of Object.entries(parts)) {
          const before = await part.cpu();
          await work(part, workload, `${round} ${name}`);
          const spent = (await part.idle()) - before;
          if (round >= 0)
            times
              .get(workload.name)
              ?.get(name)
              ?.push(spent / workload.exchanges);
        }
    return { times, peaks: { floor: await plain.peak(), least: await least.peak(), skein: await skein.peak() } };
  } finally {
    await Promise.all([...Object.values(parts), provider].map((part) => part.stop()));
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}

/**
 * @param {Part} part
 * @param {Workload} workload
 * @param {string} seed differs from round to round, so that no conversation is continued by mistake
 */
export async function work(part, { name, reply, exchanges, atOnce, turns }, seed) {
  const agent = new http.Agent({ keepAlive: true });
  const talks = Math.ceil(exchanges / turns);
  let next = 0;
  const talkAll = async () => {
    for (let talk = next++; talk < talks; talk = next++) {
      /** @type {{ role: string, content: string }[]} */
      const messages = [];
      for (let turn = 0; turn < turns; turn++) {
        messages.push({
          role: 'user',
          content: `${name} ${seed} ${talk} ${turn}: ${prose(random(talk * 31 + turn), 240)}`,
        });
        const answer = await ask(part.url, agent, reply, messages);
        if (turns > 1) messages.push(JSON.parse(answer).choices[0].message);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, talkAll));
  agent.destroy();
}

/**
 * @param {string} url
 * @param {http.Agent} agent
 * @param {string} reply
 * @param {readonly unknown[]} messages
 * @returns {Promise<string>}
 */
function ask(url, agent, reply, messages) {
  const stream = !reply.startsWith('json');
  const body = JSON.stringify({ model: 'gpt-5', ...(stream && { stream }), messages });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    authorization: 'Bearer sk-bench-0123456789abcdef',
    'x-reply': reply,
  };
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/proxy/openai/v1/chat/completions`, { method: 'POST', headers, agent });
    request.on('error', reject);
    request.on('response', (response) => {
      /** @type {Buffer[]} */
      const pieces = [];
      response.on('data', (bytes) => pieces.push(bytes));
      response.on('end', () => resolve(Buffer.concat(pieces).toString()));
      response.on('error', reject);
    });
    request.end(body);
  });
}
