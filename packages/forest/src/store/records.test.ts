import { expect, test } from 'vitest';
import type { StoreRecord } from '../model/records.ts';
import { makeEntry, makeNode, makeRef, makeTake } from '../testing/store-samples.ts';
import { hashFault, isEntry, isRecord, recordKey, refKey, toChange } from './records.ts';

const { node, body } = makeNode('a');
const take = makeTake(node, 1);
const ref = makeRef('t', 'title', 1, '1');
const entry = makeEntry('e1');
const later = { k: 'later', value: 1 } as unknown as StoreRecord;

test('each record has a key, and one of an unknown kind all of its text', () => {
  expect([body, node, take, ref, entry, later].map(recordKey)).toEqual([
    body.digest,
    node.id,
    take.id,
    'thread/t/title',
    'event/e1',
    '{"k":"later","value":1}',
  ]);
  expect(recordKey({ ...entry, k: 'later' } as never)).toBe('later/e1');
});

test('the keys of registers differ, whatever is in their names', () => {
  expect(refKey({ on: 'thread', key: 'a/b/c', name: 'n' })).toBe('thread/a%2Fb%2Fc/n');
  expect(refKey({ on: 'thread', key: 'a%2F%b', name: 'n' })).toBe('thread/a%252F%25b/n');
});

test('each record is a change for readers', () => {
  expect([body, node, take, ref, entry, later, { ...entry, k: 'later' } as never].map(toChange)).toEqual([
    { kind: 'body', key: body.digest },
    { kind: 'node', key: node.id },
    { kind: 'take', key: take.id, of: node.id },
    { kind: 'ref', key: 'thread/t/title' },
    { kind: 'event', key: 'e1', of: 'g1' },
    { kind: 'later', key: '{"k":"later","value":1}' },
    { kind: 'later', key: 'e1', of: 'g1' },
  ]);
});

/** What a record of each kind must have, and values that are not enough. */
const NEEDED: readonly (readonly [record: StoreRecord, members: Readonly<Record<string, readonly unknown[]>>])[] = [
  [
    node,
    {
      id: [
        undefined,
        1,
        node.id.slice(1),
        `${node.id}0`,
        node.id.toUpperCase(),
        `g${node.id.slice(1)}`,
        `${node.id.slice(1)}g`,
      ],
      parent: ['x'],
      lead: ['x'],
      body: ['x', node.id],
      echo: [undefined, 1],
      dialect: [undefined, 1],
      at: [undefined, '1'],
      depth: [undefined, 1.5, '1'],
      facts: [undefined, {}, { role: 1 }],
    },
  ],
  [body, { digest: [undefined, node.id], text: [undefined, 1] }],
  [take, { id: [undefined, node.id], node: [undefined, 'x'], at: [undefined, '1'] }],
  [ref, { on: [1], key: [undefined], name: [undefined], clock: [undefined] }],
  ...(['generation', 'event', 'exchange', 'tool-journal'] as const).map(
    (k) =>
      [
        { ...entry, k },
        { id: [1], of: [undefined], order: [undefined], clock: [undefined] },
      ] as const,
  ),
  [later, { k: [undefined, 1] }],
];

test('a record has the members that the index needs', () => {
  for (const [record, members] of NEEDED) {
    expect(isRecord(record), record.k).toBe(true);
    for (const [name, values] of Object.entries(members))
      for (const value of values)
        expect(isRecord({ ...record, [name]: value }), `${record.k} with ${name} ${String(value)}`).toBe(false);
    // These would be taken for ours when the record is read again.
    for (const name of ['~', '#']) expect(isRecord({ ...record, [name]: '' })).toBe(false);
  }
});

test('an entry has all the members of one', () => {
  expect(isEntry(entry)).toBe(true);
  for (const name of ['id', 'of', 'order', 'clock']) expect(isEntry({ ...entry, [name]: undefined })).toBe(false);
});

test('a hash that does not match is a fault', () => {
  for (const record of [node, body, take, ref, entry, later]) expect(hashFault(record), record.k).toBeUndefined();
  expect(hashFault({ ...body, text: 'other' })).toBe(`The text of body ${body.digest} does not match its digest.`);
  expect(hashFault({ ...take, at: 2 })).toBe(`Take ${take.id} does not match its id.`);
  expect(hashFault({ ...node, dialect: 'other' })).toBe(`Node ${node.id} does not match its id.`);
});
