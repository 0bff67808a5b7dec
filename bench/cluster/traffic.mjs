// What people and programs do with two servers while the database changes its primary. Everything has a word of its own, so
// that plain SQL can tell whether it was stored.
import { pause } from './machines.mjs';

const MODEL = 'openai-chat/gpt-5.5';

/**
 * @typedef {object} Traffic
 * @property {Record<'writes' | 'proxied' | 'generations', Set<string>>} acknowledged the words of what a server has acknowledged
 * @property {Record<'writes' | 'proxied' | 'generations', Map<string, number>>} failures how often each kind failed, by its code
 * @property {() => Promise<void>} stop
 */

/**
 * Writes, calls through the recording proxy, and generations, each in a loop of its own on every server, until it is stopped.
 * @param {readonly string[]} servers
 * @returns {Traffic}
 */
export function startTraffic(servers) {
  const acknowledged = { writes: new Set(), proxied: new Set(), generations: new Set() };
  const failures = { writes: new Map(), proxied: new Map(), generations: new Map() };
  let isStopped = false;
  let count = 0;
  const work = { writes: write, proxied: askThroughProxy, generations: generate };

  /** @param {keyof typeof work} kind @param {string} server */
  const loop = async (kind, server) => {
    while (!isStopped) {
      const word = `cluster-${kind}-${count++}.`;
      try {
        await work[kind](server, word);
        acknowledged[kind].add(word);
      } catch (error) {
        const code = error instanceof Refused ? error.code : String(error);
        failures[kind].set(code, (failures[kind].get(code) ?? 0) + 1);
      }
      await pause(100);
    }
  };
  const kinds = /** @type {(keyof typeof work)[]} */ (Object.keys(work));
  const loops = servers.flatMap((server) => kinds.map((kind) => loop(kind, server)));
  return {
    acknowledged,
    failures,
    stop: async () => {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}

class Refused extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/** @param {string} server @param {string} word */
async function write(server, word) {
  const message = { role: 'user', content: [{ type: 'text', text: word }] };
  return (await post(`${server}/api/v1/threads`, { messages: [message] })).id;
}

/** @param {string} server @param {string} word */
async function askThroughProxy(server, word) {
  const body = { model: 'gpt-5.5', messages: [{ role: 'user', content: word }] };
  const reply = await post(`${server}/proxy/openai-chat/v1/chat/completions`, body, { authorization: 'Bearer dummy' });
  if (!reply.choices[0].message.content.includes(word)) throw new Refused('wrong answer');
}

/** Follows a generation to its end; the answer, which repeats the word, is acknowledged by its last event. @param {string} server @param {string} word */
async function generate(server, word) {
  const thread = await write(server, word);
  const { id } = await post(`${server}/api/v1/generations`, { thread, model: MODEL });
  const events = await (await fetch(`${server}/api/v1/generations/${id}/events`)).text();
  const { branches } = /** @type {any} */ (await (await fetch(`${server}/api/v1/generations/${id}`)).json());
  const status = branches[0]?.status;
  if (status !== 'done') throw new Refused(`generation ${status}: ${events.match(/"code":"([^"]+)"/)?.[1] ?? ''}`);
}

/** @param {string} url @param {unknown} body @param {Record<string, string>} [headers] */
async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = /** @type {any} */ (await response.json().catch(() => ({})));
  if (!response.ok) throw new Refused(`${response.status} ${answer.code ?? ''}`.trim());
  return answer;
}
