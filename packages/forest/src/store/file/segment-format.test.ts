import { expect, test } from 'vitest';
import { sha256 } from '../../model/ids.ts';
import { type EntryRecord, packLazily, packWith, type StoreRecord } from '../../model/records.ts';
import { encodeBatch, LineEncoder, readLine } from './segment-format.ts';

const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('');

/** Long texts, with pairs at every distance from where they are cut into pieces. */
const TEXTS = [
  ascii.repeat(40),
  'plain words '.repeat(1000),
  '東京 "é" \\ '.repeat(900),
  '🙂'.repeat(5000),
  `a${'🙂'.repeat(5000)}`,
  `${'x'.repeat(5000)}\ud83d`,
  `\udc00${'"'.repeat(5000)}`,
];

function bodyOf(text: string): StoreRecord {
  return { k: 'body', digest: sha256(text), text };
}

function partOf(text: string, more: object = {}): StoreRecord {
  return { k: 'exchange', id: 'x/request', of: 'x', order: 'request', clock: '1', data: { text, ...more } };
}

test('a long text is written as JSON.stringify writes it', () => {
  for (const text of TEXTS) {
    const lines = encodeBatch([bodyOf(text), partOf(text), partOf(text, { marks: [[1, 2]], at: 3 })], 1)
      .bytes.toString()
      .split('\n');
    expect(lines[0]).toContain(`"text":${JSON.stringify(text)}}`);
    expect(lines[1]).toContain(`"data":${JSON.stringify({ text })},"#"`);
    expect(lines[2]).toContain(`"data":${JSON.stringify({ text, marks: [[1, 2]], at: 3 })},"#"`);
    for (const line of lines.slice(0, -1)) expect(readLine(Buffer.from(line))?.record).toBeDefined();
  }
});

test('a text that is not decoded yet is written as the same line', () => {
  for (const text of [...TEXTS.map((one) => one.toWellFormed()), 'short']) {
    const lazy = (more: object): StoreRecord => ({
      ...(partOf('') as EntryRecord),
      data: packWith(packLazily(Buffer.from(text)), more) as Record<string, unknown>,
    });
    for (const more of [{}, { marks: [[1, 2]], at: 3, nested: { marks: 1, other: 2 } }])
      expect(encodeBatch([lazy(more)], 1).bytes.equals(encodeBatch([partOf(text, more)], 1).bytes)).toBe(true);
  }
});

test('an encoder writes the same for a batch, whatever it wrote before', () => {
  const encoder = new LineEncoder();
  for (const text of [...TEXTS, 'short', 'x'.repeat(3_000_000), 'short']) {
    const records = [bodyOf(text), partOf(text)];
    const { bytes, lengths } = encodeBatch(records, 7, 'header\n', encoder);
    const fresh = encodeBatch(records, 7, 'header\n');
    expect(bytes.equals(fresh.bytes)).toBe(true);
    expect(lengths).toEqual(fresh.lengths);
  }
});
