import { expect, test } from 'vitest';
import { exportAddresses, fileName } from './export-dialog.tsx';

test('a dialect is named only where the format has one', () => {
  expect(exportAddresses({ kind: 'everything' }, 'segments', 'openai-chat')).toEqual([
    '/api/v1/export?format=segments',
  ]);
  expect(exportAddresses({ kind: 'path', id: '9f3c', title: '' }, 'messages', 'anthropic-messages')).toEqual([
    '/api/v1/export?format=messages&dialect=anthropic-messages&path=9f3c',
  ]);
});

test('several threads have an address each', () => {
  expect(exportAddresses({ kind: 'threads', ids: ['a', 'b&c'] }, 'markdown', '')).toEqual([
    '/api/v1/export?format=markdown&thread=a',
    '/api/v1/export?format=markdown&thread=b%26c',
  ]);
});

test('a title makes a file name, and one without letters still has a name', () => {
  expect(fileName({ kind: 'thread', id: 'a', title: 'Wie geht’s? / Größe' }, 'markdown')).toBe('wie-geht-s-größe.md');
  expect(fileName({ kind: 'thread', id: 'a', title: '../..' }, 'segments')).toBe('skein.jsonl');
});
