import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from './redact.ts';

const redact = createRedactor({ fields: ['password', 'pin'] });

test('a field is hidden in an exact text whatever its value is, and the text stays JSON', () => {
  const secrets = [
    '"sec\\"ret"',
    '{"a":["sec}ret",{"b":"\\\\"}]}',
    '["secret",1]',
    '-1.5e3',
    'null',
    '"secret',
    '{"a":"secret',
  ];
  for (const value of secrets) expect(redact(`{"user":"u","password" : ${value}`)).not.toContain('sec');
  expect(JSON.parse(redact('{"a":1,"password":{"b":[1,"}"]},"c":[{"pin":[]}],"pinned":2}'))).toEqual({
    a: 1,
    password: '[redacted]',
    c: [{ pin: '[redacted]' }],
    pinned: 2,
  });
});

test('what is no JSON loses no more than it has to', () => {
  expect(redact('{"password":}, "pin": 12, "a": 1')).toBe('{"password":"[redacted]"}, "pin": "[redacted]", "a": 1');
});

test('a field in the arguments of a call is hidden, though they are a text inside a text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, beside) => {
      const inner = JSON.stringify({ a: beside, password: value, b: beside });
      const outer = JSON.stringify({ arguments: inner });
      const shown = JSON.parse(redact(outer)) as { arguments: string };
      const plain = createRedactor({ fields: ['password', 'pin'] })(JSON.parse(inner));
      expect(JSON.parse(shown.arguments)).toEqual(plain);
    }),
  );
});
