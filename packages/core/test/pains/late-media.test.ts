import { expect, it } from 'vitest';
import { anthropicMessages, assistant, openaiChat, toolResult, user, writeRequest } from '../../src/index.ts';

it('an image in a result that comes too late is not lost in silence', () => {
  const call = { type: 'tool-use', id: 'c1', name: 'look', parameters: {}, rawParameters: '{}' } as const;
  const image = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } } as const;
  const { body, losses } = writeRequest(anthropicMessages, {
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

it('an image that is sent behind a late result is not called dropped', () => {
  const call = { type: 'tool-use', id: 'c1', name: 'look', parameters: {}, rawParameters: '{}' } as const;
  const image = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } } as const;
  const messages = [user('Look'), assistant([call]), user('Never mind'), assistant('Fine'), toolResult('c1', [image])];
  const { body, losses } = writeRequest(openaiChat, { model: 'gpt-4o', messages });
  expect(body).toContain('data:image/png;base64,AA==');
  expect(losses.filter((loss) => loss.kind === 'dropped')).toEqual([]);
});

it('fields that only their own provider knows do not vanish in silence', () => {
  const reply = anthropicMessages.parseMessage(
    '{"role":"assistant","content":[{"type":"text","text":"Hi","new_this_month":{"confidence":1.0}}]}',
  );
  const { losses } = writeRequest(openaiChat, { model: 'gpt-4o', messages: [user('a'), reply, user('b')] });
  expect(losses).toEqual([
    { kind: 'dropped', message: 1, path: '', reason: 'unknown-field', detail: 'new_this_month, confidence' },
  ]);
});
