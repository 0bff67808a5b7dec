// What people and programs do with two servers while the database changes its primary. Everything has a word of its own, so
// that plain SQL can tell whether it was stored.
import { pause } from './machines.mjs';

const MODEL = 'openai-chat/gpt-5.5';

/**
 * @typedef {object} Traffic
 * @property {Record<'writes' | 'proxied' | 'generations', Set<string>>} acknowledged the words of what a server has acknowledged
 * @property {Record<'writes' | 'proxied' | 'generations', Map<string, number>>} failures how often each kind failed, by its code
 * @property {() => number} reconnects how many streams of events broke and went on at another server
 * @property {() => Promise<void>} stop
 */

/** @typedef {{ others: readonly string[], onReconnect: () => void }} Follow */

const MOST_RECONNECTS = 20;

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
  let reconnects = 0;
  const follow = {
    others: servers,
    onReconnect: () => {
      reconnects += 1;
    },
  };
  const work = { writes: write, proxied: askThroughProxy, generations: generate };

  /** @param {keyof typeof work} kind @param {string} server */
  const loop = async (kind, server) => {
    while (!isStopped) {
      const word = `cluster-${kind}-${count++}.`;
      try {
        await work[kind](server, word, follow);
        acknowledged[kind].add(word);
      } catch (error) {
        // Of a broken connection, the cause tells who broke it.
        const code = error instanceof Refused ? error.code : `${error} (${/** @type {any} */ (error).cause ?? ''})`;
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
    reconnects: () => reconnects,
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

/**
 * Follows a generation to its end; the answer, which repeats the word, is acknowledged by its last event. A stream that breaks
 * goes on at another server, after the last event that came, as a browser does it.
 * @param {string} server
 * @param {string} word
 * @param {Follow} follow
 */
async function generate(server, word, { others, onReconnect }) {
  const thread = await write(server, word);
  const { id } = await post(`${server}/api/v1/generations`, { thread, model: MODEL });
  let events = '';
  for (let tries = 0; !/^event: end$/m.test(events); tries++) {
    if (tries > 0) onReconnect();
    if (tries > MOST_RECONNECTS) throw new Refused('events without an end');
    const at = tries === 0 ? server : others[tries % others.length];
    const last = [...events.matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
    events += await read(`${at}/api/v1/generations/${id}/events`, last === undefined ? {} : { 'last-event-id': last });
  }
  const { branches } = /** @type {any} */ (await (await fetch(`${server}/api/v1/generations/${id}`)).json());
  const status = branches[0]?.status;
  if (status !== 'done') throw new Refused(`generation ${status}: ${events.match(/"code":"([^"]+)"/)?.[1] ?? ''}`);
}

/**
 * What has come of a stream until it ended or broke, up to its last whole event.
 * @param {string} url
 * @param {Record<string, string>} headers
 */
async function read(url, headers) {
  let text = '';
  try {
    const { body } = await fetch(url, { headers });
    const decoder = new TextDecoder();
    for await (const piece of body ?? []) text += decoder.decode(piece, { stream: true });
  } catch {
    await pause(200);
  }
  return text.slice(0, text.lastIndexOf('\n\n') + 2);
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
