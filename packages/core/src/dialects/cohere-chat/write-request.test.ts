import { judgeCohereChat } from '@skein/emulator';
import { expect, it } from 'vitest';
import { assistant, toolResult, user } from '../../message/index.ts';
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

it('a failed result with an image says that it failed, where a model takes such results', () => {
  const media = { user: ['image/*'], toolResult: ['image/*'] };
  const image = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'aW1n' } } as const;
  const call = { type: 'tool-use', id: 'a', name: 'f', parameters: {}, rawParameters: '{}' } as const;
  const { body } = writeRequest(cohereChat, {
    model: 'command-a-03-2025',
    provider: { ...cohereChat.home, policies: { ...cohereChat.home.policies, media } },
    messages: [user('Hi'), assistant([call]), toolResult('a', [image], { isError: true })],
  });
  expect(JSON.parse(body).messages[2].content).toEqual([
    { type: 'text', text: 'Error:' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1n' } },
  ]);
});
