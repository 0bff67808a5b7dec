import { expect, it } from 'vitest';
import { user } from '../../message/index.ts';
import { openaiChat, writeRequest } from '../index.ts';

const write = (request: object) => writeRequest(openaiChat, { model: 'gpt-4o', messages: [user('Hi')], ...request });

const EXPECTED = `"cache" must list 'tools', 'system' and indexes of messages, not `;

it.each([
  [{ cache: ['sytem'] }, `${EXPECTED}["sytem"]`],
  [{ cache: [0.5] }, `${EXPECTED}[0.5]`],
  [{ cache: [undefined] }, `${EXPECTED}[null]`],
  [{ cache: 'system' }, `${EXPECTED}"system"`],
  [{ cache: { tools: true } }, `${EXPECTED}{"tools":true}`],
  [{ cache: [0, 0, 0, 0, 0] }, 'At most 4 cache points can be placed, but 5 were given'],
  [{ cache: [1] }, 'There is no message 1 to place a cache marker on'],
  [{ extra: { messages: [] } }, '"extra" cannot replace "messages"; pass the messages as "messages"'],
  [{ extra: '["seed"]' }, '"extra" must be a JSON object'],
  [{ extra: 'null' }, '"extra" must be a JSON object'],
])('what no API would take is refused, and the error says why: %j', (request, message) => {
  expect(() => write(request)).toThrow(message);
});

it('a null in `extra` replaces what a parameter says, like any other value', () => {
  const { body } = write({ params: { temperature: 1 }, extra: { temperature: null } });
  expect(JSON.parse(body).temperature).toBeNull();
});
