import { expect, it } from 'vitest';
import { type Message, toolResult, user } from '../../message/index.ts';
import { anthropicMessages, blocks, openaiChat, writeRequest } from '../index.ts';
import { bedrockConverse } from '../more.ts';

const sent = (answer: Message) =>
  writeRequest(anthropicMessages, {
    model: 'claude-sonnet-4-5',
    messages: [user('Hi'), answer, toolResult('a', 'x')],
  });

it.each([
  [
    'a call of Bedrock',
    bedrockConverse,
    '{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]}',
  ],
  [
    'a custom call',
    openaiChat,
    '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"custom","custom":{"name":"f","input":"ls"}}]}',
  ],
])('%s that is sent elsewhere as it was is no loss', (_, from, raw) => {
  expect(sent(from.parseMessage(raw)).losses).toEqual([]);
});

it('what Bedrock says in blocks is not named as a field that nobody knows', () => {
  const thought = '{"reasoningContent":{"reasoningText":{"text":"hm","signature":"s"}}}';
  const cited = '{"citationsContent":{"content":[{"text":"Yes"}],"citations":[{"title":"A"}]}}';
  const call = '{"toolUse":{"toolUseId":"a","name":"f","input":{}}}';
  const { losses } = sent(
    bedrockConverse.parseMessage(`{"role":"assistant","content":[${thought},${cited},${call}],"new":1}`),
  );
  expect(losses.map(({ reason, detail }) => [reason, detail])).toEqual([
    ['foreign-reasoning', undefined],
    ['citations', undefined],
    ['unknown-field', 'new'],
  ]);
});

it('half a character in arguments is replaced, and told', () => {
  const raw =
    '{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\\"x\\":\\"half \\ud83d\\"}"}}]}';
  const { body, losses } = sent(openaiChat.parseMessage(raw));
  expect(body).toContain('"input":{"x":"half \ufffd"}');
  expect(losses).toEqual([{ kind: 'rewritten', message: 1, path: 'content[0].parameters', reason: 'surrogate' }]);
});

it('a call inside a result is not left out silently', () => {
  const call = '{"type":"tool-use","id":"b","name":"f","parameters":{}}';
  const result = `{"type":"tool-result","toolCallId":"a","isError":false,"content":[${call}]}`;
  const { losses } = writeRequest(anthropicMessages, {
    model: 'claude-sonnet-4-5',
    messages: [
      user('Hi'),
      blocks.parseMessage('{"role":"assistant","content":[{"type":"tool-use","id":"a","name":"f","parameters":{}}]}'),
      blocks.parseMessage(`{"role":"user","content":[${result}]}`),
    ],
  });
  expect(losses).toEqual([{ kind: 'dropped', message: 2, path: 'content[0].content[0]', reason: 'unknown-block' }]);
});
