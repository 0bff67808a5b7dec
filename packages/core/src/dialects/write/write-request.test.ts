import { expect, it } from 'vitest';
import { user } from '../../message/index.ts';
import { anthropicMessages, openaiChat, writeRequest } from '../index.ts';

it('a provider of another protocol is refused, and the error names both', () => {
  const request = { model: 'gpt-4o', messages: [user('Hi')], provider: anthropicMessages.home };
  expect(() => writeRequest(openaiChat, request)).toThrow(
    'The provider anthropic speaks anthropic-messages, not openai-chat',
  );
});
