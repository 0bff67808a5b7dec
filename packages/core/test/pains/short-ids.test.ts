import { expect, it } from 'vitest';
import { assistant, openaiChat, provider, toolResult, user, writeRequest } from '../../src/index.ts';

it('ids of other providers fit one that takes nine letters and digits', () => {
  const call = {
    type: 'tool-use',
    id: 'toolu_01A09q90qw90lq917835lq9',
    name: 'look',
    parameters: {},
    rawParameters: '{}',
  } as const;
  const messages = [user('Look'), assistant([call]), toolResult(call.id, 'a cat'), user('Thanks')];
  const { body } = writeRequest(openaiChat, { model: 'mistral-large-latest', provider: provider('mistral'), messages });
  const [first, second] = [/"tool_calls":\[\{"id":"([^"]*)"/, /"tool_call_id":"([^"]*)"/].map(
    (pattern) => pattern.exec(body)?.[1],
  );
  expect(first).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(second).toBe(first);
});
