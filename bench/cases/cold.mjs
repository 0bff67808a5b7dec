// The first request on a long history that was just loaded, against one JSON.parse of its body.
import { dialect, MessageList } from '@skein/core';
import { historyOf, write } from './turns.mjs';

/** @import { Protocol } from '../data/streams.mjs' */

/**
 * @param {Protocol} protocol
 * @param {{ native: boolean }} options whether every message is in the provider's own words, as after recording
 * @returns {import('../measure.mjs').Contestant[]}
 */
export function coldCase(protocol, { native }) {
  const given = historyOf(protocol);
  const { body } = write(protocol, given);
  const messages = native ? new MessageList(dialect(protocol).readRequest(body).messages) : given;
  messages.manifest = write(protocol, messages).manifest;
  const saved = JSON.stringify(messages);
  return [
    { name: 'floor', run: () => JSON.parse(body) },
    {
      name: 'write',
      prepare: () => MessageList.fromJSON(saved),
      run: (/** @type {MessageList} */ loaded) => write(protocol, loaded, loaded.manifest),
    },
    {
      name: 'write without manifest',
      prepare: () => MessageList.fromJSON(saved),
      run: (/** @type {MessageList} */ loaded) => write(protocol, loaded),
    },
    {
      name: 'load and write',
      run: () => {
        const loaded = MessageList.fromJSON(saved);
        write(protocol, loaded, loaded.manifest);
      },
    },
  ];
}
