import { expect, it } from 'vitest';
import { anthropicMessages, assistant, toolResult, user } from '../../src/index.ts';

it('an image in a result that comes too late is not lost in silence', () => {
  const call = { type: 'tool-use', id: 'c1', name: 'look', parameters: {}, rawParameters: '{}' } as const;
  const image = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } } as const;
  const { body, losses } = anthropicMessages.writeRequest({
    model: 'claude-sonnet-4-5',
    messages: [
      user('Look'),
      assistant([call]),
      user('Never mind'),
      assistant('Fine'),
      toolResult('c1', [{ type: 'text', text: 'a cat' }, image]),
    ],
  });
  expect(body).toContain('Result of the earlier tool call c1:\\na cat');
  expect(losses).toContainEqual({ kind: 'dropped', message: 4, path: 'content[1]', reason: 'unsupported-media' });
});
