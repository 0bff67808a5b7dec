import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ROOT, sha256 } from '../../model/ids.ts';
import { digitBytes, echoBytes, fromStored, idBytes, idRange, readEcho, readId, toStored } from './values.ts';

const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
const awkward = fc.string({
  unit: fc.constantFrom('\0', '\u001b', '\ud800', '\udc00', '0', '1', 'b', 'd', '8', '\\', '😀'),
});

test('every text of code units comes back, and what is stored is storable', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, awkward), (text) => {
      const stored = toStored(text);
      expect(stored).not.toContain('\0');
      expect(Buffer.from(stored).toString()).toBe(stored);
      expect(fromStored(stored)).toBe(text);
    }),
  );
});

test('a JSON text is stored as it is', () => {
  const text = JSON.stringify({ a: '\u001b\0\ud800 ä😀', b: [1e21] });
  expect(toStored(text)).toBe(text);
});

const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), maxLength: 70 });

test('every id and every echo comes back from its bytes, and no two have the same', () => {
  const id = fc.oneof(digits, anyText, awkward, fc.constant(ROOT), fc.constant(sha256('a')));
  const echo = fc.oneof(
    id,
    digits.map((hash) => `1:${hash.padEnd(32, '0').slice(0, 32)}`),
    fc.constant(`10:${'0'.repeat(32)}`),
  );
  fc.assert(
    fc.property(id, echo, id, (one, text, other) => {
      expect(readId(idBytes(one).toString('hex'))).toBe(one);
      expect(readEcho(echoBytes(text).toString('hex'))).toBe(text);
      expect(idBytes(one).equals(idBytes(other))).toBe(one === other);
    }),
  );
});

test('the range of a prefix has the ids that begin with it, and no others', () => {
  fc.assert(
    fc.property(digits, fc.nat(40), digits, (id, length, other) => {
      const full = id.padEnd(40, '3').slice(0, 40);
      const prefix = full.slice(0, length);
      const [first, last] = idRange(prefix);
      for (const one of [full, other.padEnd(40, '7').slice(0, 40)].filter((one) => one !== ROOT)) {
        const bytes = idBytes(one);
        expect(first.compare(bytes) <= 0 && bytes.compare(last) <= 0, one).toBe(one.startsWith(prefix));
      }
    }),
  );
});

const HASH = '0123456789abcdef'.repeat(2);
const asText = (text: string) => `${'00'.repeat(33)}${Buffer.from(text).toString('hex')}`;

/** These are in databases, and a migration writes the same. */
test('ids and echoes keep their bytes', () => {
  const bytesOf = (id: string) => idBytes(id).toString('hex');
  expect([bytesOf(ROOT), bytesOf(''), bytesOf('ab'), bytesOf(`${HASH}${HASH}`)]).toEqual([
    ...['', asText(''), 'ab', `${HASH}${HASH}`],
  ]);
  for (const id of ['a', 'AB', 'abc', `${HASH}${HASH}ab`, `xab`, `abx`]) expect(bytesOf(id)).toBe(asText(id));
  const echoOf = (echo: string) => echoBytes(echo).toString('hex');
  expect([echoOf(`1:${HASH}`), echoOf(`9:${HASH}`)]).toEqual([`01${HASH}`, `09${HASH}`]);
  for (const echo of [`x:${HASH}`, `1:${HASH}0`, `1:${HASH.slice(1)}`, `11:${HASH}`, `1:${HASH.toUpperCase()}`, '1:a'])
    expect(echoOf(echo)).toBe(asText(echo));
  expect([digitBytes('00ff').toString('hex'), digitBytes(12).toString('hex')]).toEqual(['00ff', '12']);
});

test('the range of a prefix begins with as few bytes as it can, and one of a text ends behind all texts', () => {
  const rangeOf = (prefix: string) => idRange(prefix).map((bytes) => bytes.toString('hex'));
  expect(rangeOf('')).toEqual(['', 'ff'.repeat(32)]);
  expect(rangeOf('ab')).toEqual(['ab', `ab${'ff'.repeat(31)}`]);
  expect(rangeOf('abc')).toEqual(['abc0', `abcf${'ff'.repeat(30)}`]);
  for (const prefix of ['x', 'xab', 'abx'])
    expect(rangeOf(prefix)).toEqual([asText(prefix), `${asText(prefix)}f48fbfbf`]);
});
