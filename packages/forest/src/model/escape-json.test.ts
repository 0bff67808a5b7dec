import { describe, expect, it } from 'vitest';
import { appendEscaped } from './escape-json.ts';
import { packBytes } from './records.ts';

/** Collects bytes, a few at a time, so that the buffer is replaced often. */
function collect() {
  let buffer = Buffer.alloc(1);
  const sink = {
    size: 0,
    makeRoom(bytes: number) {
      if (sink.size + bytes > buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(bytes)]);
      return buffer;
    },
  };
  return { sink, text: () => buffer.toString('utf8', 0, sink.size) };
}

/** Letters that need an escape or more than a byte, at every offset of a word and of a piece. */
const LETTERS = ['a', 'é', '—', '😀', '"', '\\', '\n', '\u0000', '\u001f', ' ', '\u007f', '\ufffd', '\u2028'];

function randomText(seed: number, length: number): string {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  let text = '';
  while (text.length < length)
    text += next() < 0.9 ? 'word '.slice(0, 1 + next() * 4) : LETTERS[Math.floor(next() * 13)];
  return text;
}

describe('appendEscaped', () => {
  it('writes what JSON.stringify writes, for texts of every length and with every kind of letter', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const text = randomText(seed, seed < 250 ? seed : seed * 50);
      const { sink, text: written } = collect();
      expect(appendEscaped(text, sink)).toBe(true);
      expect(`"${written()}"`).toBe(JSON.stringify(text));
    }
  });

  it('escapes each of the 128 letters of ASCII at each place of a word', () => {
    for (let code = 0; code < 128; code++)
      for (let before = 0; before < 5; before++) {
        const text = `${'x'.repeat(before)}${String.fromCharCode(code)}yyyyy`;
        const { sink, text: written } = collect();
        appendEscaped(text, sink);
        expect(`"${written()}"`).toBe(JSON.stringify(text));
      }
  });

  it('appends nothing for a text with half a surrogate pair, however late it comes', () => {
    for (const text of ['\ud83d', `${'x'.repeat(10_000)}\ude00`, `${'x'.repeat(4095)}\ud83d`, '\ufffd\ud83dx']) {
      const { sink } = collect();
      sink.makeRoom(1);
      sink.size = 1;
      expect(appendEscaped(text, sink)).toBe(false);
      expect(sink.size).toBe(1);
    }
  });

  it('keeps a pair together that a piece would cut', () => {
    const text = `${'x'.repeat(4095)}😀${'y'.repeat(5000)}`;
    const { sink, text: written } = collect();
    expect(appendEscaped(text, sink)).toBe(true);
    expect(written()).toBe(text);
  });
});

describe('packBytes', () => {
  it('decodes long and short texts alike, with a byte order mark and null characters', () => {
    for (const length of [10, 2047, 2048, 5000])
      for (const letters of ['a', 'é', '—', '😀', '\ufeffa\u0000'])
        expect(packBytes(Buffer.from(letters.repeat(length)))).toEqual({ text: letters.repeat(length) });
  });

  it('keeps bytes that are no text in base64, whatever their length', () => {
    for (const length of [1, 3000]) {
      const bytes = Buffer.alloc(length, 0xff);
      expect(packBytes(bytes)).toEqual({ base64: bytes.toString('base64') });
    }
    const cut = Buffer.from('é'.repeat(2000)).subarray(1);
    expect(packBytes(cut)).toEqual({ base64: cut.toString('base64') });
  });
});
