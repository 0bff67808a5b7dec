import { expect, it } from 'vitest';
import { user } from '../../message/index.ts';
import { anthropicMessages, blocks, openaiChat, writeRequest } from '../index.ts';

const write = (raw: string, dialect: typeof anthropicMessages, cut = false) => {
  const origin = { dialect: dialect.id, issuer: dialect.home.issuer, ...(cut && { cut }) };
  const messages = [user('Hi'), dialect.parseMessage(raw, origin)];
  const { body, losses } = writeRequest(blocks, { model: 'any', messages });
  return { sent: JSON.parse(body).messages, losses };
};

it('a call that was cut in its arguments is left out, instead of failing the request', () => {
  const call = '{"type":"tool_use","id":"a","name":"f","input":"{\\"a"}';
  const { sent, losses } = write(
    `{"role":"assistant","content":[{"type":"text","text":"Let me see"},${call}]}`,
    anthropicMessages,
    true,
  );
  expect(sent.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Let me see' }] });
  expect(losses).toEqual([{ kind: 'dropped', message: 1, path: 'content[1]', reason: 'cut' }]);
  const alone = write(`{"role":"assistant","content":[${call}]}`, anthropicMessages, true);
  expect(alone.sent).toHaveLength(1);
  expect(alone.losses).toEqual([{ kind: 'dropped', message: 1, path: '', reason: 'cut' }]);
});

it('arguments that are no JSON object are quoted, instead of failing the request', () => {
  const { sent, losses } = write(
    '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{a:1}"}}]}',
    openaiChat,
  );
  expect(sent[1].content[0]).toMatchObject({ id: 'a', parameters: { _malformed_arguments: '{a:1}' } });
  expect(losses).toContainEqual({
    kind: 'rewritten',
    message: 1,
    path: 'content[0].parameters',
    reason: 'malformed-arguments',
  });
});

it('a result in the answer that calls stands behind it', () => {
  const { sent } = write(
    '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_result","tool_use_id":"a","content":"x"}]}',
    anthropicMessages,
  );
  expect(sent.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'tool']);
  expect(sent[2]).toMatchObject({ tool_call_id: 'a', content: [{ type: 'text', text: 'x' }] });
});

it('what somebody says in a role that nobody knows is said by the user', () => {
  expect(write('{"role":"human","content":"Yes"}', openaiChat).sent[1]).toEqual({
    role: 'user',
    content: [{ type: 'text', text: 'Yes' }],
  });
});

it('its own messages stand in the manifest by their place, not by their text', () => {
  const message = user('Hi');
  const { manifest } = writeRequest(blocks, { model: 'any', messages: [message] });
  expect(manifest.elements).toEqual([{ of: [0], pieces: [{ message: 0, start: 0, end: message.raw.length }] }]);
});
