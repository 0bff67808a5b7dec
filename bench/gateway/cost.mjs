// What the gateway costs: added latency of a small request, requests per second, and processor time of a long stream, beside a
// plain pass-through, the recording proxy, and other gateways. Each of them is a process of its own, all before one provider.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newestNode } from '../install.mjs';
import { cells } from '../table.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const SMALL = 400;
const SECONDS = 4;
const CONNECTIONS = 64;

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} script
 * @property {string} path
 * @property {object} body
 * @property {(upstream: string) => Readonly<Record<string, string>>} [headers]
 */

const messages = [{ role: 'user', content: 'Hello' }];
const anthropicBody = { max_tokens: 1000, messages };
/** @param {string} provider */
const portkey = (provider) => (/** @type {string} */ upstream) => ({
  'x-portkey-provider': provider,
  'x-portkey-custom-host': `${upstream}/v1`,
  authorization: 'Bearer k',
});

/** @type {readonly Contender[]} */
const CONTENDERS = [
  { name: 'no gateway', script: '', path: '/v1/chat/completions', body: { model: 'm', messages } },
  { name: 'plain pass-through', script: 'pass-through', path: '/v1/chat/completions', body: { model: 'm', messages } },
  {
    name: 'Skein, recording proxy',
    script: 'skein',
    path: '/proxy/openai/v1/chat/completions',
    body: { model: 'm', messages },
  },
  {
    name: 'Skein, chat → chat',
    script: 'skein',
    path: '/gateway/openai/v1/chat/completions',
    body: { model: 'openai-chat/gpt-5.5', messages },
  },
  {
    name: 'Skein, chat → Anthropic',
    script: 'skein',
    path: '/gateway/openai/v1/chat/completions',
    body: { model: 'anthropic/claude-sonnet-4-5', messages },
  },
  {
    name: 'Skein, Anthropic → chat',
    script: 'skein',
    path: '/gateway/anthropic/v1/messages',
    body: { model: 'openai-chat/gpt-5.5', ...anthropicBody },
  },
  {
    name: 'Portkey, chat → chat',
    script: 'portkey',
    path: '/v1/chat/completions',
    body: { model: 'm', messages },
    headers: portkey('openai'),
  },
  {
    name: 'Portkey, chat → Anthropic',
    script: 'portkey',
    path: '/v1/chat/completions',
    body: { model: 'm', max_tokens: 1000, messages },
    headers: portkey('anthropic'),
  },
  { name: 'llms, Anthropic → chat', script: 'llms', path: '/v1/messages', body: { model: 'chat,m', ...anthropicBody } },
  {
    name: 'claude-code-router, Anthropic → chat',
    script: 'claude-code-router',
    path: '/v1/messages',
    body: { model: 'chat,m', ...anthropicBody },
  },
];

export async function measureCost() {
  const upstream = await start('upstream', '');
  const rows = [];
  for (const contender of CONTENDERS) {
    console.error(contender.name);
    /** @type {Running | undefined} */
    let running;
    try {
      running = contender.script ? await start(contender.script, upstream.url) : upstream;
      rows.push([contender.name, ...(await measure(contender, running, upstream.url))]);
    } catch (error) {
      rows.push([contender.name, `failed: ${`${error}`.slice(0, 60)}`, '', '', '', '']);
    } finally {
      if (contender.script) running?.end();
    }
  }
  upstream.end();
  const titles = ['median ms', 'p99 ms', 'CPU ms', `requests/s at ${CONNECTIONS}`, 'CPU ms of 20,000 deltas'];
  return cells(['', ...titles], rows);
}

/**
 * @param {Contender} contender
 * @param {Running} running
 * @param {string} upstream
 * @returns {Promise<string[]>}
 */
async function measure({ path, body, headers }, { url, pid }, upstream) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const send = (stream = false) =>
    post(`${url}${path}`, { ...body, ...(stream && { stream }) }, headers?.(upstream) ?? {}, agent);
  const answer = await send();
  if (!answer.includes('Hello!')) throw new Error(answer);
  for (let warm = 0; warm < 200; warm++) await send();
  /** @type {number[]} */
  const times = [];
  const idle = cpuOf(pid);
  for (let count = 0; count < SMALL; count++) {
    const begin = performance.now();
    await send();
    times.push(performance.now() - begin);
  }
  const perRequest = (cpuOf(pid) - idle) / SMALL;
  times.sort((a, b) => a - b);
  let done = 0;
  const end = performance.now() + SECONDS * 1000;
  const worker = async () => {
    for (; performance.now() < end; done++) await send();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const streamed = await send(true);
  if (streamed.split('word').length !== 20_001)
    throw new Error(`the stream has ${streamed.split('word').length - 1} words`);
  const before = cpuOf(pid);
  for (let count = 0; count < 3; count++) await send(true);
  const cpu = (cpuOf(pid) - before) / 3;
  agent.destroy();
  const ms = (/** @type {number} */ share) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  return [ms(0.5), ms(0.99), perRequest.toFixed(2), (done / SECONDS).toFixed(0), cpu.toFixed(0)];
}

/**
 * @param {string} url
 * @param {object} body
 * @param {Readonly<Record<string, string>>} headers
 * @param {Agent} agent
 * @returns {Promise<string>}
 */
function post(url, body, headers, agent) {
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

/** Milliseconds of processor time that a process has used. @param {number} pid */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * @typedef {object} Running
 * @property {string} url
 * @property {number} pid
 * @property {() => void} end
 */

/**
 * @param {string} script
 * @param {string} upstream
 * @returns {Promise<Running>}
 */
async function start(script, upstream) {
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
  // Portkey fails on the newest Node.
  const isNewest = script === 'llms' || script === 'claude-code-router';
  const child = spawn(isNewest ? newestNode(folder) : process.execPath, args, {
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
