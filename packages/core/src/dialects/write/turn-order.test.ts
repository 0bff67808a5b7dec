import { expect, it } from 'vitest';
import { assistant, user } from '../../message/index.ts';
import { anthropicMessages, blocks, openaiChat, writeRequest } from '../index.ts';

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
