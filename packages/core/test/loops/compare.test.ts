import { expect, test } from 'vitest';
import { inside, member, opaqueIn, parting } from './compare.ts';

test('texts are cut where they are, whatever stands inside of strings', () => {
  expect(inside('[ 1.0 ,{"a":"],}\\"" , "b":[2]}, "x" ]')).toEqual(['1.0', '{"a":"],}\\"" , "b":[2]}', '"x"']);
  expect(inside('[]')).toEqual([]);
  expect(member('{"a":{"b":1},"b": [2.50]}', 'b')).toBe('[2.50]');
  expect(opaqueIn(`{"signature":"${'s'.repeat(20)}"}`)).toEqual(['s'.repeat(20)]);
});

test('a request that says something else than the one before is found', () => {
  const body = (system: string, ...messages: string[]) => `{"system":"${system}","messages":[${messages.join(',')}]}`;
  expect(parting(body('s', '{"a":1}'), body('s', '{"a":1,"cache_control":{"type":"ephemeral"}}', '2'))).toBeUndefined();
  expect(parting(body('s', '1'), body('t', '1'))).toContain('system');
  expect(parting(body('s', '1', '2.0'), body('s', '1', '2'))).toContain('message 1 is 2, and was 2.0');
  expect(parting(body('s', '1', '2'), body('s', '1'))).toContain('message 1');
});
