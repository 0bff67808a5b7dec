// Replies are written as texts, so that every escape and every digit is intended.

/**
 * @typedef {object} Reply
 * @property {string} json the response in one piece
 * @property {string | Uint8Array} sse the same response as server-sent events, or in the framing of its protocol
 * @property {string} [streamType] of a stream that is not of server-sent events
 * @property {readonly string[]} elements what has to come back: blocks, items, parts, or the message, as JSON texts
 * @property {readonly string[]} [streamed] the same of the stream, where that differs
 * @property {readonly { id: string, name: string }[]} calls that the next request answers
 */

/**
 * @param {readonly string[]} events data, or whole lines of an event that has a name of its own
 * @param {boolean} [named] by their own `type`; an `event_type` is a name in any case
 */
export function sseOf(events, named = false) {
  return events
    .map((data) => {
      if (data.startsWith(':') || data.startsWith('event:')) return `${data}\n\n`;
      const name = named ? /"type":"([^"]+)"/.exec(data)?.[1] : /"event_type":"([^"]+)"/.exec(data)?.[1];
      return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
    })
    .join('');
}

/** An integer that JavaScript's numbers cannot hold. */
export const BIG = '2512292042121000001';

/** An unknown value, with numbers in spellings that serialising would change. */
export const ODD = `{"id":${BIG},"ratio":1.0,"tiny":1e-7,"path":"a\\/b","none":null}`;

/** Arguments of a call in pieces, spelt as no serialiser spells them. */
export const ARGUMENTS = ['{"city": "Z\\u00fcri', `ch \\u2603", "id": ${BIG}, "rat`, 'io": 1.0}'];
