import { judgeCohereChat } from '@skein/emulator';
import { expect, it } from 'vitest';
import { toolResult, user } from '../../message/index.ts';
import { writeRequest } from '../write/write-request.ts';
import { cohereChat } from './index.ts';

it.each([
  ['', '{}'],
  ['null', 'null'],
])('a call whose arguments are %j is sent back with %j', (given, sent) => {
  const called = { id: 'a', type: 'function', function: { name: 'f', arguments: given } };
  const reply = cohereChat.parseMessage(JSON.stringify({ role: 'assistant', tool_calls: [called] }));
  const messages = [user('Hi'), reply, toolResult('a', 'x')];
  const { body } = writeRequest(cohereChat, { model: 'command-a-03-2025', messages });
  expect(JSON.parse(body).messages[1].tool_calls[0].function.arguments).toBe(sent);
  expect(judgeCohereChat({ body }).refusal).toBeUndefined();
});
