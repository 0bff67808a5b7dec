import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../model/ids.ts';
import { packMembers, unpackMembers } from './members.ts';

const EXCHANGE = '0mwlax2rj.0000.pe1a8a9a9';
const START = 1794956773951;

/** The members of an exchange, as a recorder writes them. */
const members = JSON.stringify({
  data: {
    ...{ version: 1, id: EXCHANGE, start: START, writer: 'pe1a8a9a9', method: 'POST', host: 'api.openai.com' },
    ...{ path: '/v1/chat/completions', query: '', kind: 'generate', dialect: 'openai-chat', provider: 'openai-chat' },
    ...{ issuer: 'api.openai.com', model: 'gpt-5.5', requestHeaders: { 'content-type': 'application/json' } },
    ...{ outcome: 'done', tags: [], status: 200, responseHeaders: { 'content-type': 'application/json' } },
    ...{ firstByte: START, responseId: 'chatcmpl-674', end: START, responseBytes: 152 },
    ...{ requestSha256: sha256('a'), replayKey: sha256('b') },
  },
});

/** Pieces that are packed, parts of them, hashes, and characters that JSON escapes. */
const piece = fc.constantFrom(
  ...[
    '","role":"user","content":"',
    '{"data":{"text":"',
    '":"',
    '\\',
    '"',
    '\n',
    '\u0001',
    '\u001e',
    '\u001b',
    '\ud800',
  ],
  ...['openai-chat', EXCHANGE, String(START), sha256('x'), `${sha256('x')}0`, sha256('y').slice(0, 40)],
  ...[
    sha256('z').slice(0, 32),
    '0'.repeat(40),
    'é',
    '😀',
    'assistant',
    '\u007f',
    sha256('w').toUpperCase(),
    'undefined',
  ],
);
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(piece).map((pieces) => pieces.join('')),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double(),
    fc.constantFrom(null, true, START),
    fc.array(tie('any')),
    fc.dictionary(text, tie('any')),
  ),
})).any;

test('every JSON text comes back as it was, and is storable', () => {
  fc.assert(
    fc.property(fc.dictionary(text, value), fc.constantFrom(undefined, EXCHANGE, 'e1'), (object, exchange) => {
      const given = JSON.stringify(object);
      const packed = packMembers(given, exchange);
      expect(unpackMembers(packed, exchange)).toBe(given);
      expect(packed).not.toContain('\0');
      expect(packed).not.toContain('\u001b');
      expect(packed.isWellFormed()).toBe(true);
      expect(packed.length).toBeLessThanOrEqual(given.length + 1);
    }),
  );
});

test('the members of an exchange take a quarter of the space', () => {
  const packed = packMembers(members, EXCHANGE);
  expect(unpackMembers(packed, EXCHANGE)).toBe(members);
  expect(packed.length).toBeLessThan(members.length / 4 + 1);
});

test('what was stored before, and what is long, is stored as it is', () => {
  expect(unpackMembers(members)).toBe(members);
  const long = JSON.stringify({ data: { text: 'a'.repeat(2000) } });
  expect(packMembers(long)).toBe(long);
  const [last, longer] = [1998, 1999].map((count) => JSON.stringify('a'.repeat(count)));
  expect([packMembers(last!), packMembers(longer!)]).toEqual([`\u0001${last}`, longer]);
});

test('a text that is frequent as a whole is one code', () => {
  const text = '{"facts":{"role":"user","calls":[],"results":[],"needs":[]}}';
  expect([packMembers(text).slice(0, 2), packMembers(text).length]).toEqual(['\u0001\u001d', 3]);
  expect(unpackMembers(packMembers(text))).toBe(text);
});

const character = (code: number) => String.fromCharCode(code);
/** The codes of this version: of one character, and of two. */
const CODES = [
  ...Array.from({ length: 22 }, (_, at) => character(5 + at)).filter((code) => !'\t\n\r'.includes(code)),
  ...Array.from({ length: 94 }, (_, at) => `\u001c${character(0x21 + at)}`),
  ...Array.from({ length: 35 }, (_, at) => `\u001d${character(0x21 + at)}`),
];

/** Stored texts outlive code: codes of new pieces come behind these. */
test('pieces keep their codes', () => {
  expect(() => unpackMembers(`\u0001\u001d${character(0x21 + 35)}`)).toThrow('newer version');
  expect(sha256(CODES.map((code) => unpackMembers(`\u0001${code}`)).join('\n'))).toBe(
    '2ecd4c848dbe4e0fce1e2630456ad7cfe1d164d37f97e5cb435e5629d2583b4f',
  );
});

test('a code of a newer version, or of another record, is an error and no other text', () => {
  expect(() => unpackMembers('\u0001\u001d~')).toThrow('newer version');
  expect(() => unpackMembers('\u0001\u001e', 'e1')).not.toThrow();
  expect(() => unpackMembers('\u0001\u001e')).toThrow('another record');
  expect(() => unpackMembers('\u0001\u001f', 'e1')).toThrow('another record');
  for (const code of '\t\n\u001b') expect(() => unpackMembers(`\u0001${code}`, EXCHANGE)).toThrow('newer version');
});
