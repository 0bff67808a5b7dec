import { expect, test } from 'vitest';
import type { Node } from '../api/types.ts';
import { alignTurns, toTurns } from './align-turns.ts';

const path = (...roles: readonly Node['role'][]) =>
  toTurns(roles.map((role, index) => ({ id: `${role}${index}`, role, content: [] }) as unknown as Node));
const shape = (...columns: readonly ReturnType<typeof path>[]) =>
  alignTurns(columns).map((row) => row.map((turn) => turn?.nodes.map(({ id }) => id).join() ?? '-'));

test('an answer with tool calls is beside an answer without, and the next prompts are beside each other', () => {
  expect(shape(path('assistant', 'tool', 'assistant', 'user'), path('assistant', 'user', 'assistant'))).toEqual([
    ['assistant0,tool1,assistant2', 'assistant0'],
    ['user3', 'user1'],
    ['-', 'assistant2'],
  ]);
});

test('an edited prompt has no answer of another column beside it', () => {
  expect(shape(path('user', 'assistant'), path('assistant'))).toEqual([
    ['user0', '-'],
    ['assistant1', 'assistant0'],
  ]);
});
