// What the gateway costs: added latency of a small request, requests per second, and processor time of a long stream, beside a
// plain pass-through, the recording proxy, and other gateways. Each of them is a process of its own, all before one provider.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newestNode } from '../install.mjs';
import { cells } from '../table.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const ROUNDS = 4;
/** Of each round: small requests one after the other, seconds with all connections at once, and streams. */
const SMALL = 400;
const SECONDS = 1;
const STREAMS = 4;
const CONNECTIONS = 64;
/** Longer than what Skein puts off waits for a pause. A process that used less than a hundredth of it is idle. */
const IDLE_MS = 200;

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} script
 * @property {string} path
 * @property {object} body
 * @property {(upstream: string) => Readonly<Record<string, string>>} [headers]
 * @property {boolean} [isOnOwnNode] whether it runs on the Node of this process, not on the newest: Portkey fails on that one
 */

const messages = [{ role: 'user', content: 'Hello' }];
const anthropicBody = { max_tokens: 1000, messages };
/** @param {string} provider */
const portkey = (provider) => (/** @type {string} */ upstream) => ({
  'x-portkey-provider': provider,
  'x-portkey-custom-host': `${upstream}/v1`,
  authorization: 'Bearer k',
});

const PLAIN = { script: 'pass-through', path: '/v1/chat/completions', body: { model: 'm', messages } };
const CHAT_TO_CHAT = {
  script: 'skein',
  path: '/gateway/openai/v1/chat/completions',
  body: { model: 'openai-chat/gpt-5.5', messages },
};
const CHAT_TO_ANTHROPIC = { ...CHAT_TO_CHAT, body: { model: 'anthropic/claude-sonnet-4-5', messages } };

/** @type {readonly Contender[]} */
const CONTENDERS = [
  { ...PLAIN, name: 'no gateway', script: '' },
  { ...PLAIN, name: 'plain pass-through' },
  {
    name: 'Skein, recording proxy',
    script: 'skein',
    path: '/proxy/openai/v1/chat/completions',
    body: { model: 'm', messages },
  },
  { ...CHAT_TO_CHAT, name: 'Skein, chat → chat' },
  { ...CHAT_TO_ANTHROPIC, name: 'Skein, chat → Anthropic' },
  {
    name: 'Skein, Anthropic → chat',
    script: 'skein',
    path: '/gateway/anthropic/v1/messages',
    body: { model: 'openai-chat/gpt-5.5', ...anthropicBody },
  },
  { name: 'llms, Anthropic → chat', script: 'llms', path: '/v1/messages', body: { model: 'chat,m', ...anthropicBody } },
  {
    name: 'claude-code-router, Anthropic → chat',
    script: 'claude-code-router',
    path: '/v1/messages',
    body: { model: 'chat,m', ...anthropicBody },
  },
  ...[
    { ...PLAIN, name: 'plain pass-through' },
    { ...CHAT_TO_CHAT, name: 'Skein, chat → chat' },
    { ...CHAT_TO_ANTHROPIC, name: 'Skein, chat → Anthropic' },
    { ...PLAIN, name: 'Portkey, chat → chat', script: 'portkey', headers: portkey('openai') },
    {
      ...{ ...PLAIN, name: 'Portkey, chat → Anthropic', script: 'portkey' },
      body: { model: 'm', max_tokens: 1000, messages },
      headers: portkey('anthropic'),
    },
  ].map((one) => ({ ...one, name: `${one.name}, Node ${process.versions.node.split('.')[0]}`, isOnOwnNode: true })),
];

/**
 * A contender that runs, and what was measured of it.
 * @typedef {Contender & Running & {
 *   send: (isStream?: boolean) => Promise<string>,
 *   times: number[], cpu: number, done: number, streamCpu: number[], problem: string,
 * }} Measured
 */

/**
 * All contenders run at once and are measured in turn, so that a busy machine is equally busy for each of them.
 * @param {number} warm how many requests each of them answers before
 */
export async function measureCost(warm) {
  const upstream = await start({ ...PLAIN, name: 'upstream', script: 'upstream' }, '');
  /** @type {Measured[]} */
  const all = [];
  for (const contender of CONTENDERS) {
    console.error(`starting ${contender.name}`);
    const running = contender.script ? await start(contender, upstream.url) : upstream;
    const { path, body, headers } = contender;
    const send = (isStream = false) =>
      post(`${running.url}${path}`, { ...body, ...(isStream && { stream: true }) }, headers?.(upstream.url) ?? {});
    all.push({ ...contender, ...running, send, times: [], cpu: 0, done: 0, streamCpu: [], problem: '' });
  }
  for (const one of all) await warmUp(one, warm);
  for (let round = 0; round < ROUNDS; round++) {
    console.error(`round ${round + 1} of ${ROUNDS}`);
    for (const one of all) if (!one.problem) await measureRound(one);
  }
  agent.destroy();
  for (const { end } of all) end();
  return toTable(all);
}

let agent = new Agent();

/** A contender closes connections that wait for their next turn, and a request on one of them would fail. */
function connectAnew() {
  agent.destroy();
  agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
}

/** @param {Measured} one @param {number} warm */
async function warmUp(one, warm) {
  connectAnew();
  const answer = await one.send().catch((error) => `${error}`);
  if (!answer.includes('Hello!')) one.problem = `fails: ${answer.slice(0, 60)}`;
  if (one.problem) return;
  for (let count = 0; count < warm; count++) await one.send();
  const streamed = await one.send(true);
  if (streamed.split('word').length === 20_001) await one.send(true);
  else one.streamCpu.push(Number.NaN);
}

/** @param {Measured} one */
async function measureRound(one) {
  connectAnew();
  const idle = cpuOf(one.pid);
  for (let count = 0; count < SMALL; count++) {
    const begin = performance.now();
    await one.send();
    one.times.push(performance.now() - begin);
  }
  // What is put off until after the answers belongs to them.
  await isIdle(one.pid);
  one.cpu += cpuOf(one.pid) - idle;
  const end = performance.now() + SECONDS * 1000;
  const worker = async () => {
    for (; performance.now() < end; one.done++) await one.send();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  // What was put off until after these answers is not part of a stream.
  await isIdle(one.pid);
  if (Number.isNaN(one.streamCpu[0])) return;
  const before = cpuOf(one.pid);
  for (let count = 0; count < STREAMS; count++) await one.send(true);
  await isIdle(one.pid);
  one.streamCpu.push((cpuOf(one.pid) - before) / STREAMS);
}

/** @param {readonly Measured[]} all */
function toTable(all) {
  const at = (/** @type {readonly number[]} */ list, /** @type {number} */ share) =>
    list.toSorted((a, b) => a - b)[Math.floor(list.length * share)] ?? Number.NaN;
  const direct = at(all[0]?.times ?? [], 0.5);
  const rows = all.map((one) => {
    if (one.problem) return [one.name, one.problem, '', '', '', '', '', ''];
    const plain = all.find(({ script, isOnOwnNode }) => script === PLAIN.script && isOnOwnNode === one.isOnOwnNode);
    const times = (at(one.times, 0.5) - direct) / (at(plain?.times ?? [], 0.5) - direct);
    const stream = at(one.streamCpu, 0.5);
    return [
      one.name,
      at(one.times, 0.5).toFixed(2),
      one.script ? times.toFixed(1) : '',
      at(one.times, 0.99).toFixed(1),
      (one.cpu / one.times.length).toFixed(2),
      (one.done / SECONDS / ROUNDS).toFixed(0),
      Number.isNaN(stream) ? 'fails' : stream.toFixed(0),
    ];
  });
  const titles = ['median ms', 'added, in pass-throughs', 'p99 ms', 'CPU ms of one', `requests/s at ${CONNECTIONS}`];
  return cells(['', ...titles, 'CPU ms of 20,000 deltas'], rows);
}

/**
 * @param {string} url
 * @param {object} body
 * @param {Readonly<Record<string, string>>} headers
 * @returns {Promise<string>}
 */
function post(url, body, headers) {
  return new Promise((resolve, reject) => {
    const all = {
      'content-type': 'application/json',
      'x-api-key': 'k',
      authorization: 'Bearer k',
      'anthropic-version': '2023-06-01',
    };
    const asked = ask(url, { method: 'POST', agent, headers: { ...all, ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      answer.once('end', () => resolve(text));
      answer.once('error', reject);
    });
    asked.once('error', reject);
    asked.end(JSON.stringify(body));
  });
}

/** Milliseconds of processor time that the threads of a process have used. @param {number} pid */
function cpuOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanoseconds) / 1e6;
  }, 0);
}

/** Resolves when a process has done nothing for a while; after ten seconds in any case. @param {number} pid */
async function isIdle(pid) {
  const end = performance.now() + 10_000;
  for (let before = -1; performance.now() < end; await wait(IDLE_MS)) {
    const now = cpuOf(pid);
    if (now - before < IDLE_MS / 100) return;
    before = now;
  }
}

/**
 * @typedef {object} Running
 * @property {string} url
 * @property {number} pid
 * @property {() => void} end
 */

/**
 * @param {Contender} contender
 * @param {string} upstream
 * @returns {Promise<Running>}
 */
async function start({ script, isOnOwnNode = false }, upstream) {
  const home = mkdtempSync(join(tmpdir(), 'skein-cost-'));
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  /** @type {readonly string[]} */
  let args = [`${folder}contenders/${script}.mjs`, upstream];
  if (script === 'skein') args = [`${folder}../gateway-server.mjs`, upstream];
  if (script === 'portkey')
    args = [`${folder}node_modules/@portkey-ai/gateway/build/start-server.js`, `--port=${port}`, '--headless'];
  if (script === 'claude-code-router') {
    args = [`${folder}node_modules/@musistudio/claude-code-router/dist/cli.js`, 'start'];
    const provider = { name: 'chat', api_base_url: `${upstream}/v1/chat/completions`, api_key: 'k', models: ['m'] };
    mkdirSync(join(home, '.claude-code-router'));
    const config = { PORT: port, LOG: false, Providers: [provider], Router: { default: 'chat,m' } };
    writeFileSync(join(home, '.claude-code-router', 'config.json'), JSON.stringify(config));
  }
  const child = spawn(isOnOwnNode ? process.execPath : newestNode(folder), args, {
    env: { PATH: process.env.PATH ?? '', HOME: home, TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
    stdio: ['ignore', 'pipe', process.env.SKEIN_SHOW ? 'inherit' : 'ignore'],
  });
  const end = () => {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  };
  const { pid = 0 } = child;
  if (args[0]?.includes('node_modules')) {
    child.stdout.resume();
    await isUp(`http://127.0.0.1:${port}/`);
    return { url: `http://127.0.0.1:${port}`, pid, end };
  }
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('http://')) {
      child.stdout.resume();
      return { url: line, pid, end };
    }
  throw new Error(`${script} did not start`);
}

/** @param {string} url */
async function isUp(url) {
  for (const end = Date.now() + 30_000; Date.now() < end; await wait(100))
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return;
  throw new Error(`${url} does not answer`);
}
