// One more turn on a long history that is in memory.
import { fileURLToPath } from 'node:url';
import { dialect, MessageList, toolResult, user, writeRequest } from '@skein/core';
import { conversation, HISTORY, moreTurns, nativeReply, SYSTEM, TOOLS } from '../data/history.mjs';
import { PROTOCOLS } from '../data/streams.mjs';
import { MODELS, post } from '../endpoint.mjs';

/** @import { Message } from '@skein/core' */
/** @import { UserCase, UserContext } from '../as-a-user.mjs' */
/** @import { Turn } from '../data/history.mjs' */
/** @import { Protocol } from '../data/streams.mjs' */

/**
 * As in a program: messages of people and tools in `blocks`, replies in the provider's own form.
 * @param {Protocol} protocol
 * @param {Turn} turn
 * @returns {Message}
 */
export function messageOf(protocol, turn) {
  if (turn.kind === 'user') return user(turn.text);
  if (turn.kind === 'result') return toolResult(turn.call.id, turn.text);
  return dialect(protocol).parseMessage(nativeReply(protocol, turn), { model: MODELS[protocol] });
}

/** @param {Protocol} protocol */
export function historyOf(protocol, length = HISTORY) {
  return new MessageList(conversation(length).map((turn) => messageOf(protocol, turn)));
}

/**
 * @param {Protocol} protocol
 * @param {Iterable<Message>} messages
 * @param {import('@skein/core').Manifest} [previous]
 */
export function write(protocol, messages, previous) {
  return writeRequest(dialect(protocol), {
    model: MODELS[protocol],
    system: SYSTEM,
    tools: TOOLS,
    messages,
    params: { maxTokens: 1024 },
    ...(previous && { previous }),
  });
}

/**
 * The tools as `run` takes them.
 * @param {typeof import('@skein/core').tool} tool
 */
export function tools(tool) {
  return TOOLS.map(({ name, description, parameters }) =>
    tool({ name, description, input: parameters, execute: () => 'rain' }),
  );
}

const program = fileURLToPath(new URL('../programs/turn.mjs', import.meta.url));

/**
 * One more turn through `run()`, on 10,000 short messages, without and with the manifest of the turn before.
 * @param {UserContext} context
 * @returns {UserCase[]}
 */
export function userTurnCases({ url, peers }) {
  return PROTOCOLS.flatMap((protocol) => {
    const programFor = (/** @type {string} */ name, /** @type {string} */ who) => ({
      name,
      args: ['--expose-gc', program, who, protocol, url],
    });
    const floor = programFor('floor', 'floor');
    return [
      {
        name: `turn, ${protocol}`,
        group: 'turn as a user',
        rounds: 11,
        programs: [floor, programFor('skein', 'skein'), ...peers('turn', protocol)],
      },
      {
        name: `turn, ${protocol}, manifest`,
        group: 'turn as a user, manifest',
        rounds: 11,
        programs: [floor, programFor('skein', 'manifest')],
      },
    ];
  });
}

/**
 * Each round the conversation grows by a reply and a question. The floor sends the body of that round as a text that is
 * ready; `skein` sends lent bytes, as `run` does, and `skein, as text` the text. `ready bytes` has nothing to encode either.
 * @param {string} url
 * @param {Protocol} protocol
 * @param {{ knowsPrevious: boolean, length?: number }} options whether the manifest of the turn before is at hand, as in a
 *   conversation, and how many messages there are
 * @returns {import('../measure.mjs').Contestant[]}
 */
export function turnCase(url, protocol, { knowsPrevious, length = HISTORY }) {
  const messages = historyOf(protocol, length);
  const more = moreTurns();
  const grow = () => {
    for (const turn of more()) messages.append(messageOf(protocol, turn));
  };
  let last = write(protocol, messages);
  last.bytes();
  let lastText = last;
  return [
    {
      name: 'floor',
      prepare: () => new TextDecoder().decode(last.bytes()),
      run: (/** @type {string} */ body) => send(url, protocol, body),
    },
    {
      name: 'ready bytes',
      prepare: () => last.bytes(),
      run: (/** @type {Uint8Array} */ body) => send(url, protocol, body),
    },
    {
      name: 'skein',
      prepare: grow,
      run: async () => {
        last = write(protocol, messages, knowsPrevious ? last.manifest : undefined);
        await last.withBytes((bytes) => send(url, protocol, bytes));
      },
    },
    {
      name: 'skein, as text',
      prepare: () => {
        if (new TextDecoder().decode(last.bytes()) !== last.body) throw new Error('bytes and text differ');
        grow();
      },
      run: async () => {
        lastText = write(protocol, messages, knowsPrevious ? lastText.manifest : undefined);
        await send(url, protocol, lastText.body);
      },
    },
  ];
}

/**
 * @param {string} url
 * @param {Protocol} protocol
 * @param {string | Uint8Array} body
 */
export async function send(url, protocol, body) {
  const response = await post(url, protocol, body, false);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  await response.text();
}
