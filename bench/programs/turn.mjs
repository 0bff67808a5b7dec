// One more turn on 10,000 short messages, through `run()`: `turn.mjs floor|skein|manifest <protocol> <url>`.
import { countOnly } from '../count-only.mjs';
import { COUNTED, conversation, HISTORY, moreTurns, SHORT, SYSTEM } from '../data/history.mjs';

/** @import { Message } from '@skein/core' */
/** @import { Protocol } from '../data/streams.mjs' */

const [who, name, url = ''] = process.argv.slice(2);
const protocol = /** @type {Protocol} */ (name);
const turn = who === 'floor' ? await floor() : await skein(who === 'manifest');
// The first request writes the whole history; the turns behind it are counted.
await turn();
await countOnly(async () => {
  for (let count = 0; count < COUNTED; count++) await turn();
});

/**
 * As a program does that keeps the messages, and perhaps the manifest of the last request.
 * @param {boolean} keepsManifest
 */
async function skein(keepsManifest) {
  const [{ run, tool }, { modelAt }, { messageOf, tools }] = await Promise.all([
    import('@skein/core'),
    import('../endpoint.mjs'),
    import('../cases/turns.mjs'),
  ]);
  const model = modelAt(url, protocol);
  const messages = conversation(HISTORY, SHORT).map((one) => messageOf(protocol, one));
  const more = moreTurns(SHORT);
  const options = { model, system: SYSTEM, tools: tools(tool), params: { maxTokens: 1024 }, stream: false };
  /** @type {import('@skein/core').Manifest | undefined} */
  let previous;
  return async () => {
    const result = await run({ ...options, messages, ...(keepsManifest && previous && { previous }) }).result;
    if (result.text !== 'Yes.') throw new Error(`${protocol}: the reply is ${JSON.stringify(result.text)}`);
    previous = result.manifest;
    messages.push(...result.messages, messageOf(protocol, more()[1]));
  };
}

/** Sends the bytes of the same request, which are ready, and reads the answer. */
async function floor() {
  const { send, write, messageOf } = await import('../cases/turns.mjs');
  const messages = conversation(HISTORY, SHORT).map((one) => messageOf(protocol, one));
  const bytes = write(protocol, messages).bytes();
  return () => send(url, protocol, bytes);
}
