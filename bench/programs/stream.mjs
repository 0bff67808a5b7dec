// The first streams of a process, read event by event: `stream.mjs floor|skein <protocol> <url>`.
import { countOnly } from '../count-only.mjs';
import { COUNTED } from '../data/history.mjs';
import { pieces } from '../data/streams.mjs';

/** @import { Protocol } from '../data/streams.mjs' */

const [who, name, url = ''] = process.argv.slice(2);
const protocol = /** @type {Protocol} */ (name);
const expected = pieces().join('').length;
const read = who === 'skein' ? await skein() : await floor();
await countOnly(async () => {
  for (let count = 0; count < COUNTED; count++) await read();
});

/** As a program does that shows a reply while it arrives. */
async function skein() {
  const [{ run, user }, { modelAt }] = await Promise.all([import('@skein/core'), import('../endpoint.mjs')]);
  const model = modelAt(url, protocol);
  const messages = [user('Tell me everything.')];
  return async () => {
    let length = 0;
    for await (const event of run({ model, messages })) if (event.type === 'text') length += event.text.length;
    if (length !== expected) throw new Error(`${protocol}: ${length} characters instead of ${expected}`);
  };
}

async function floor() {
  const [{ readBare, BETWEEN_EVENTS }, { MODELS, post }] = await Promise.all([
    import('../cases/streams.mjs'),
    import('../endpoint.mjs'),
  ]);
  const body = JSON.stringify({ model: MODELS[protocol], stream: true });
  return async () => readBare(await post(url, protocol, body, true), BETWEEN_EVENTS[protocol]);
}
