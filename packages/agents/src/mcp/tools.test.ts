import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mcpToolName } from './tools.ts';

test('names that providers take stay as they are, behind the name of the server', () => {
  expect(mcpToolName('github', 'create_issue')).toBe('github__create_issue');
});

test('two tools never become one, and every provider takes the name', () => {
  const name = fc.oneof(fc.string(), fc.string({ minLength: 60, maxLength: 90 }), fc.constantFrom('a.b', 'a_b', 'a b'));
  fc.assert(
    fc.property(name, name, (one, other) => {
      const [first, second] = [mcpToolName('server', one), mcpToolName('server', other)];
      expect(first).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
      expect(first === second).toBe(one === other);
    }),
  );
});
