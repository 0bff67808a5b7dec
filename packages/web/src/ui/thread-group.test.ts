import { expect, test } from 'vitest';
import type { Thread } from '../api/types.ts';
import type { GroupRow } from '../state/thread-rows.ts';
import { groupInWords } from './thread-group.tsx';

const row = (what: GroupRow['what'], ...parts: Thread['part'][]) => ({
  what,
  members: parts.map((part) => ({ part })),
});

test('a row says what it stands for', () => {
  expect(groupInWords(row('opening', 'main', 'main'))).toBe('2 that begin like this');
  expect(groupInWords(row('side', 'side'))).toBe('1 side call');
  expect(groupInWords(row('session', 'main', 'subagent', 'side', 'side'))).toBe(
    'Session: 1 conversation, 1 subagent, 2 side calls',
  );
});
