// One more turn on 10,000 short messages, as a program asks for it: through `run()`.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MessageList, run, tool } from '@skein/core';
import { conversation, SHORT, SYSTEM, TOOLS, turns } from '../data/history.mjs';
import { PROTOCOLS } from '../data/streams.mjs';
import { MODELS } from '../endpoint.mjs';
import { HISTORY, messageOf, nextOf, send, write } from './turns.mjs';

/** @import { Message, Manifest } from '@skein/core' */
/** @import { Protocol } from '../data/streams.mjs' */
/** @import { Contestant } from '../measure.mjs' */

const tools = TOOLS.map(({ name, description, parameters }) =>
  tool({ name, description, input: parameters, execute: () => 'rain' }),
);

/** @type {Record<Protocol, { provider: string, path: string }>} */
const PROVIDERS = {
  'anthropic-messages': { provider: 'anthropic', path: '' },
  'openai-chat': { provider: 'openai-chat', path: '/v1' },
  'openai-responses': { provider: 'openai', path: '/v1' },
  'google-generatecontent': { provider: 'google', path: '' },
};

/**
 * Each round the conversation grows by the reply and a question. The floor sends the bytes of such a round, which are
 * ready, and reads the answer.
 * @param {string} url
 * @param {Protocol} protocol
 * @returns {(Contestant & { name: 'floor' | 'no manifest' | 'manifest' })[]}
 */
export function runTurnCase(url, protocol) {
  const history = conversation(HISTORY, SHORT).map((turn) => messageOf(protocol, turn));
  const ready = write(protocol, new MessageList(history)).bytes();
  return [
    { name: 'floor', run: () => send(url, protocol, ready) },
    { name: 'no manifest', ...talk(url, protocol, history, false) },
    { name: 'manifest', ...talk(url, protocol, history, true) },
  ];
}

/**
 * @param {string} url
 * @param {Protocol} protocol
 * @param {readonly Message[]} history
 * @param {boolean} knowsPrevious
 */
function talk(url, protocol, history, knowsPrevious) {
  const { provider, path } = PROVIDERS[protocol];
  const source = turns(SHORT);
  const messages = [...history];
  /** @type {Manifest | undefined} */
  let manifest;
  return {
    async run() {
      const result = await run({
        model: `${provider}/${MODELS[protocol]}`,
        system: SYSTEM,
        tools,
        messages,
        params: { maxTokens: 1024 },
        stream: false,
        apiKey: 'none',
        baseUrl: url + path,
        ...(knowsPrevious && manifest && { previous: manifest }),
      }).result;
      if (result.text !== 'Yes.') throw new Error(`${protocol}: the reply is ${JSON.stringify(result.text)}`);
      manifest = result.manifest;
      messages.push(...result.messages, messageOf(protocol, nextOf(source, 'user')));
    },
  };
}

/**
 * The most memory that a process of its own takes for a few turns of each contestant, in bytes.
 * @param {string} url
 * @param {Protocol} protocol
 * @returns {Promise<Map<string, number>>}
 */
export async function runTurnMemory(url, protocol) {
  /** @type {Map<string, number>} */
  const peaks = new Map();
  for (const name of ['floor', 'no manifest', 'manifest']) {
    const child = fork(fileURLToPath(import.meta.url), [url, protocol, name], { execArgv: [] });
    const [peak] = await once(child, 'message');
    peaks.set(name, peak);
  }
  return peaks;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await sendPeak();

/** The floor has the same history in memory, so that the difference is what a turn takes. */
async function sendPeak() {
  const [, , url = '', given, name] = process.argv;
  const protocol = PROTOCOLS.find((one) => one === given);
  const contestant = protocol && runTurnCase(url, protocol).find((one) => one.name === name);
  for (let turn = 0; turn < 5; turn++) await contestant?.run(undefined);
  process.send?.(process.resourceUsage().maxRSS * 1024, () => process.disconnect());
}
