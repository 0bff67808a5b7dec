import { expect, test } from 'vitest';
import { judgeCase } from '../openai/test-cases.ts';
import { createOpenAIChatJudge, judgeOpenAIChat } from './judge.ts';
import { answer, asks, call, chat, user } from './test-requests.ts';

const ruleOf = (body: unknown, judge = judgeOpenAIChat) => judgeCase(judge, body).refusal?.rule;

test('unknown message fields are refused on demand, and known to the provider that issued them', () => {
  const strict = createOpenAIChatJudge({ refuseUnknownMessageFields: true });
  const body = JSON.stringify(chat([{ ...asks({ ...call(), index: 0 }), x_note: 1 }, answer()]));
  expect(ruleOf(body, strict)).toBe('openai-chat.unknown-message-param');
  const memory = { issued: () => undefined, stored: () => false, ownField: () => true };
  expect(strict({ body, memory }).refusal).toBeUndefined();
  expect(strict({ body, memory, settings: { refuseOwnFields: true } }).refusal).toBeDefined();
});

test('a tool message for another call is an orphan', () => {
  const verdict = judgeCase(judgeOpenAIChat, chat([user, asks(call()), answer(), answer('call_9')]));
  expect(verdict.refusal?.message).toBe(
    "Invalid parameter: 'tool_call_id' of 'call_9' not found in 'tool_calls' of previous message.",
  );
});

test('answers behind another message do not count', () => {
  expect(ruleOf(chat([user, asks(call()), user, answer()]))).toBe('openai-chat.tool-unanswered');
});

test('DeepSeek has its own words for broken pairs, and asks for no reasoning when thinking is off', () => {
  const body = (messages: unknown[]) => chat(messages, { model: 'deepseek-chat', thinking: { type: 'disabled' } });
  expect(ruleOf(body([user, asks(call()), answer()]))).toBeUndefined();
  const { refusal } = judgeCase(judgeOpenAIChat, body([user, asks(call()), user]));
  expect(refusal?.message).toContain('(insufficient tool messages following tool_calls message)');
});

test.each([
  chat([{ role: 'constructor', content: [{ type: 'constructor' }] }]),
  chat([user], { tools: [{ type: 'toString' }] }),
  null,
  [],
  'x',
  7,
  {},
  { messages: 5 },
  { model: 4, messages: [null, 3, { role: 5, content: [null, 2] }] },
])('a body of no use is refused, not thrown at: %j', (body) => {
  expect(judgeCase(judgeOpenAIChat, JSON.stringify(body)).refusal?.status).toBe(400);
});
