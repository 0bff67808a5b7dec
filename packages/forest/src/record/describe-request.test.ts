import { canonical } from '@skein/core';
import { expect, test } from 'vitest';
import { sha256 } from '../model/ids.ts';
import { replayKey } from './describe-request.ts';

const url = new URL('https://api.openai.com/v1/chat/completions');

test('the replay key is of the canonical text of a body, whatever numbers it has', () => {
  const numbers = ['0', '-0', '1.0', '0.70', '1e3', '1E-7', '12345678901234567890', '1.0000000000000000001', '1e400'];
  const texts = ['"half \\ud83d"', '"\\u0041 \\"é\\""', '"1e400"', '{"b":1,"a":2,"b":3}', '{"__proto__":1}', '[]'];
  for (const value of [...numbers, ...texts]) {
    const body = ` { "x" : ${value}, "a": [ ${value} ] } `;
    expect(replayKey('POST', url, body)).toBe(sha256(`POST\n/v1/chat/completions\n\n${canonical(body)}`));
  }
  expect(replayKey('POST', url, '{"a":')).toBe(sha256('POST\n/v1/chat/completions\n\n{"a":'));
});
