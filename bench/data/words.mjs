// Texts that look like a model's: mostly English, some line breaks, quotes, code and characters beyond ASCII.
const WORDS = (
  'the of and to in is that it for as with on be at by this are from or an which you not have can will if one more ' +
  'about when time there use each how their other than its also into only over such new some could these two may then ' +
  'first any now most should where after between system message request history answer result value function error ' +
  'stream token provider branch context response signature parameter temperature forecast afternoon'
).split(' ');
const RARE = [
  '\n\n',
  '\n- ',
  ' "quoted"',
  ' `code\\path`',
  ' café',
  ' 71 °F',
  ' — ',
  ' naïve',
  ' 東京',
  ' 🙂',
  '\t',
  ' <b>',
];

/**
 * Numbers between 0 and 1 that are the same in every run.
 * @param {number} seed
 */
export function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * What one event of a stream brings: one to six words.
 * @param {() => number} next
 */
export function piece(next) {
  let text = '';
  for (let left = 1 + Math.floor(next() * 6); left > 0; left--) text += word(next);
  return text;
}

/**
 * @param {() => number} next
 * @param {number} length at least this many characters
 */
export function prose(next, length) {
  let text = 'So';
  while (text.length < length) text += word(next);
  return `${text}.`;
}

/** @param {() => number} next */
function word(next) {
  const list = next() < 0.03 ? RARE : WORDS;
  const picked = list[Math.floor(next() * list.length)] ?? '';
  return list === WORDS ? ` ${picked}` : picked;
}

/**
 * Characters as in ids, signatures and ciphertexts.
 * @param {() => number} next
 * @param {number} length
 */
export function opaque(next, length) {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  let text = '';
  while (text.length < length) text += letters[Math.floor(next() * letters.length)];
  return text;
}
