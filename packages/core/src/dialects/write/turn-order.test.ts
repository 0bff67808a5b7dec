import { expect, it } from 'vitest';
import { assistant, createMessage, user } from '../../message/index.ts';
import { anthropicMessages, blocks, googleGenerateContent, openaiChat, writeRequest } from '../index.ts';

it.each([
  ['with ids that the target takes', 'a', 'b'],
  ['with ids that it refuses', 'functions.f:0', 'functions.f:1'],
])('each of two late results in one message is told with its own text, %s', (_, first, second) => {
  const result = (id: string, text: string) =>
    `{"type":"tool-result","toolCallId":"${id}","isError":false,"content":[{"type":"text","text":"${text}"}]}`;
  const results = `{"role":"user","content":[${result(first, 'one')},${result(second, 'two')}]}`;
  const messages = [user('Hi'), assistant('Yes?'), blocks.parseMessage(results)];
  for (const [dialect, model] of [
    [anthropicMessages, 'claude-sonnet-4-5'],
    [openaiChat, 'gpt-4o'],
  ] as const) {
    const { body } = writeRequest(dialect, { model, messages });
    expect(body.match(/\\n(?:one|two)/g)).toEqual(['\\none', '\\ntwo']);
  }
});

it('late results that name their functions are each told with their own text', () => {
  const call = (name: string) => ({ type: 'tool-use', id: name, name, parameters: {}, rawParameters: '{}' }) as const;
  const result = (name: string) => `{"functionResponse":{"name":"${name}","response":{"output":"of ${name}"}}}`;
  const messages = [
    user('Hi'),
    assistant([call('find'), call('look')]),
    user('Wait'),
    assistant('Well'),
    googleGenerateContent.parseMessage(`{"role":"user","parts":[${result('look')},${result('find')}]}`),
  ];
  const { body } = writeRequest(anthropicMessages, { model: 'claude-sonnet-4-5', messages });
  expect(body.match(/tool call \w+:\\nof \w+/g)).toEqual(['tool call look:\\nof look', 'tool call find:\\nof find']);
});

it('a late result that only the facts of an older release name is told without a text', () => {
  const raw = '{"role":"tool","tool_call_id":"a","content":"x"}';
  const { origin } = openaiChat.parseMessage(raw);
  const facts = { role: 'tool', digest: 'd', calls: [], results: ['a'], needs: [] } as const;
  const message = createMessage(raw, origin, () => ({ role: 'tool', content: [], needs: [] }), facts);
  const messages = [user('Hi'), assistant('Yes?'), message];
  const { losses } = writeRequest(openaiChat, { model: 'gpt-4o', messages });
  expect(losses).toEqual([{ kind: 'rewritten', message: 2, path: '', reason: 'late-result', detail: 'a' }]);
});
