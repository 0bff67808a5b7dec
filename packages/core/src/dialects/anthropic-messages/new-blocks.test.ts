/** Blocks of 2026 that this code gives no meaning: kept as they came, and sent back to the API that issued them. */

import { anthropicMessages, user } from '@skein/core';
import { judgeAnthropicMessages } from '@skein/emulator';
import { expect, test } from 'vitest';
import { writeRequest } from '../write/write-request.ts';

const COMPACTION = { type: 'compaction', content: 'They met in Oslo.', encrypted_content: 'enc' };
const FALLBACK = { type: 'fallback', from: { model: 'claude-opus-5-5' }, to: { model: 'claude-sonnet-5' } };
const LISTING = { type: 'mcp_tool_listing', mcp_server_name: 'files', tools: [{ name: 'read', input_schema: {} }] };
const text = { type: 'text', text: 'Hello' };

const events = (content: readonly object[]): [string, object][] => [
  [
    'message_start',
    {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [] },
    },
  ],
  ...content.flatMap((block, index): [string, object][] => [
    ['content_block_start', { type: 'content_block_start', index, content_block: block }],
    ['content_block_stop', { type: 'content_block_stop', index }],
  ]),
  ['message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }],
  ['message_stop', { type: 'message_stop' }],
];

const echo = (message: Parameters<typeof writeRequest>[1]['messages']) => {
  const { body, losses } = writeRequest(anthropicMessages, {
    model: 'claude-opus-5-5',
    params: { maxTokens: 100 },
    messages: [user('Hi'), ...message, user('Go on')],
  });
  expect(losses).toEqual([]);
  expect(judgeAnthropicMessages({ body }).refusal).toBeUndefined();
  return JSON.parse(body).messages[1].content;
};

test.each([[[FALLBACK, text]], [[LISTING, text]], [[COMPACTION, text]]])(
  'are sent back as they came: %j',
  (content) => {
    const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5-5', stop_reason: 'end_turn' };
    const whole = anthropicMessages.readResponse(JSON.stringify({ ...head, content, usage: { output_tokens: 1 } }));
    expect(echo([whole.message])).toEqual(content);
    const reader = anthropicMessages.readStream();
    for (const [name, data] of events(content)) reader.push(name, JSON.stringify(data));
    expect(echo([reader.finish().message])).toEqual(content);
  },
);

test('a compaction that comes in a delta is complete', () => {
  const reader = anthropicMessages.readStream();
  const start = { type: 'compaction', content: null, encrypted_content: null };
  const [first, begin, stop, ...end] = events([start]);
  const delta = { type: 'compaction_delta', content: 'They met in Oslo.', encrypted_content: 'enc' };
  const piece: [string, object] = ['content_block_delta', { type: 'content_block_delta', index: 0, delta }];
  for (const [name, data] of [first!, begin!, piece, stop!, ...end]) reader.push(name, JSON.stringify(data));
  const { message } = reader.finish();
  expect(JSON.parse(message.raw).content).toEqual([
    { type: 'compaction', content: 'They met in Oslo.', encrypted_content: 'enc' },
  ]);
});
