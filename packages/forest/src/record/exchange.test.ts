import { expect, test } from 'vitest';
import { packBytes } from '../model/records.ts';
import { memoryStore } from '../store/memory-store.ts';
import { readResponse, readTexts, requestPart, responsePart } from './exchange.ts';

const BYTES = new TextEncoder().encode('data: "é"\n\n');

/** Parts of an answer that are cut at these places. */
async function storeWith(cuts: readonly number[]) {
  const store = memoryStore();
  const ends = [...cuts, BYTES.length];
  await store.append([
    requestPart('x', { text: '{"a":"ü"}' }, '000000001.0000.w'),
    ...ends.map((end, at) =>
      responsePart('x', at, packBytes(BYTES.slice(cuts[at - 1] ?? 0, end)), `00000000${at + 2}.0000.w`, 0),
    ),
  ]);
  return store;
}

test.each([
  ['one part', []],
  ['parts that are texts', [3, 7]],
  ['a character cut between two parts', [8]],
])('the texts of an exchange are what its bytes say: %s', async (_, cuts) => {
  const store = await storeWith(cuts);
  expect(await readTexts(store, { id: 'x' })).toEqual({ request: '{"a":"ü"}', response: 'data: "é"\n\n' });
  expect(await readResponse(store, 'x')).toEqual(BYTES);
});

test('an exchange without parts has empty texts', async () => {
  expect(await readTexts(memoryStore(), { id: 'x' })).toEqual({ request: '', response: '' });
});
