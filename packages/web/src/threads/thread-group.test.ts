import { expect, test } from 'vitest';
import type { Thread } from '../api/types.ts';
import type { GroupRow } from '../state/thread-rows.ts';
import { describeGroup } from './thread-group.tsx';

const row = (what: GroupRow['what'], ...parts: Thread['part'][]) => ({
  what,
  members: parts.map((part) => ({ part })),
});

test('a row says what it stands for', () => {
  expect(describeGroup(row('opening', 'main', 'main'))).toBe('2 that begin like this');
  expect(describeGroup(row('side', 'side'))).toBe('1 side call');
  expect(describeGroup(row('session', 'main', 'subagent', 'side', 'side'))).toBe(
    'Session: 1 conversation, 1 subagent, 2 side calls',
  );
});
