// A 20,000-delta stream, read to its final message: by the reader alone, and by `run`, first streams of a process included.
import { fileURLToPath } from 'node:url';
import { dialect } from '@skein/core';
import { readSse } from '@skein/core/dialect';
import { PROTOCOLS, pieces } from '../data/streams.mjs';
import { MODELS, post } from '../endpoint.mjs';

/** @import { UserCase, UserContext } from '../as-a-user.mjs' */
/** @import { Protocol } from '../data/streams.mjs' */

const PROGRAM = fileURLToPath(new URL('../programs/stream.mjs', import.meta.url));

/** @type {Record<Protocol, string>} */
export const BETWEEN_EVENTS = {
  'anthropic-messages': '\n\n',
  'openai-chat': '\n\n',
  'openai-responses': '\n\n',
  'google-generatecontent': '\r\n\r\n',
};

/**
 * The first five streams of a process, through `run`, event by event.
 * @param {UserContext} context
 * @returns {UserCase[]}
 */
export function userStreamCases({ url, peers }) {
  return PROTOCOLS.map((protocol) => ({
    name: `five streams, ${protocol}`,
    group: 'stream as a user',
    rounds: 11,
    programs: [
      ...['floor', 'skein'].map((name) => ({ name, args: ['--expose-gc', PROGRAM, name, protocol, url] })),
      ...peers('stream', protocol),
    ],
  }));
}

/**
 * @param {string} url
 * @param {Protocol} protocol
 * @returns {import('../measure.mjs').Contestant[]}
 */
export function streamCase(url, protocol) {
  const expected = pieces().join('');
  const body = JSON.stringify({ model: MODELS[protocol], stream: true });
  return [
    { name: 'floor', run: async () => readBare(await post(url, protocol, body, true), BETWEEN_EVENTS[protocol]) },
    {
      name: 'skein',
      run: async () => {
        const { text, ...readers } = await readWithSkein(await post(url, protocol, body, true), protocol);
        if (text.length !== expected.length) throw new Error(`${protocol}: the text came out changed`);
        return readers;
      },
    },
  ];
}

/**
 * The floor: fetch, decode, split, parse every event once, and keep nothing.
 * @param {Response} response
 * @param {string} separator
 */
export async function readBare(response, separator) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunksOf(response)) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split(separator);
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.slice(event.indexOf('data: ') + 6);
      if (data !== '[DONE]') JSON.parse(data);
    }
  }
}

/**
 * @param {Response} response
 * @param {Protocol} protocol
 */
async function readWithSkein(response, protocol) {
  const reader = dialect(protocol).readStream();
  const decoder = readSse(reader);
  for await (const chunk of chunksOf(response)) decoder.push(chunk);
  decoder.end();
  return { text: reader.finish().message.text, reader, decoder };
}

/** @param {Response} response */
function chunksOf(response) {
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
  return /** @type {AsyncIterable<Uint8Array>} */ (response.body);
}
