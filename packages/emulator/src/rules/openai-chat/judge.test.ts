import { describe, expect, test } from 'vitest';
import { expected, judgeCase, outcome, type RuleCase } from '../openai/test-cases.ts';
import { createOpenAIChatJudge, judgeOpenAIChat, openAIChatRules } from './judge.ts';
import { answer, asks, audio, call, chat, image, tools, user } from './test-requests.ts';

const pattern = (param: string, source: string) =>
  `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${source}'.`;
const empty = (param: string) =>
  `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
const onlyWithTools = (param: string) =>
  `Invalid value for '${param}': '${param}' is only allowed when 'tools' are specified.`;

const cases: readonly RuleCase[] = [
  {
    id: 'json',
    good: chat([user]),
    bad: '{"model":',
    message: expect.stringContaining('We could not parse the JSON body of your request.'),
  },
  {
    id: 'unknown-param',
    good: chat([user], { reasoning_effort: 'low' }),
    bad: chat([user], { reasoning: { effort: 'low' } }),
    message: "Unknown parameter: 'reasoning'.",
    param: 'reasoning',
    code: 'unknown_parameter',
  },
  {
    id: 'required',
    good: chat([user]),
    bad: { model: 'gpt-4o' },
    message: "Missing required parameter: 'messages'.",
    param: 'messages',
    code: 'missing_required_parameter',
  },
  {
    id: 'invalid-type',
    good: chat([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]),
    bad: chat([{ role: 'user', content: { text: 'Hi' } }]),
    message:
      "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an object instead.",
    param: 'messages[0].content',
    code: 'invalid_type',
  },
  {
    id: 'role',
    good: chat([{ role: 'developer', content: 'Be brief.' }, user]),
    bad: chat([{ role: 'model', content: 'Hi' }]),
    message:
      "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    param: 'messages[0].role',
    code: 'invalid_value',
  },
  {
    id: 'tool-type',
    good: chat([user], { tools: tools() }),
    bad: chat([user], { tools: [{ type: 'web_search' }] }),
    message: "Invalid value: 'web_search'. Supported values are: 'function' and 'custom'.",
    param: 'tools[0].type',
    code: 'invalid_value',
  },
  {
    id: 'unknown-message-param',
    good: chat([user, { role: 'assistant', content: 'Hi', refusal: null }, user]),
    bad: chat([user, { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' }, user]),
  },
  {
    id: 'tools-empty',
    good: chat([user], { tools: tools() }),
    bad: chat([user], { tools: [] }),
    message: empty('tools'),
    param: 'tools',
    code: 'empty_array',
  },
  {
    id: 'tool-name',
    good: chat([user], { tools: tools('get_x-1') }),
    bad: chat([user], { tools: tools('get.x') }),
    message: pattern('tools[0].function.name', '^[a-zA-Z0-9_-]+$'),
    param: 'tools[0].function.name',
    code: 'invalid_value',
  },
  {
    id: 'name',
    good: chat([{ ...user, name: 'Zoë' }]),
    bad: chat([{ ...user, name: 'a b' }]),
    message: pattern('messages[0].name', '^[^\\s<|\\\\/>]+$'),
    param: 'messages[0].name',
    code: 'invalid_value',
  },
  {
    id: 'content-empty',
    good: chat([user]),
    bad: chat([{ role: 'user', content: [] }]),
    message: empty('messages[0].content'),
    param: 'messages[0].content',
    code: 'empty_array',
  },
  {
    id: 'part-role',
    good: chat([{ role: 'user', content: [image] }]),
    bad: chat([user, asks(call()), { ...answer(), content: [image] }]),
    message:
      "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
    param: 'messages[2]',
    code: 'invalid_value',
  },
  {
    id: 'tool-calls-empty',
    good: chat([user, { role: 'assistant', content: 'Hi' }, user]),
    bad: chat([user, { role: 'assistant', content: 'Hi', tool_calls: [] }, user]),
    message: empty('messages[1].tool_calls'),
    param: 'messages[1].tool_calls',
    code: 'empty_array',
  },
  {
    id: 'arguments-type',
    good: chat([user, asks(call({ arguments: '{"half":' })), answer()]),
    bad: chat([user, asks(call({ arguments: {} })), answer()]),
    message:
      "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
    param: 'messages[1].tool_calls[0].function.arguments',
    code: 'invalid_type',
  },
  {
    id: 'tool-id-long',
    good: chat([user, asks({ ...call(), id: 'x'.repeat(40) }), answer('x'.repeat(40))]),
    bad: chat([user, asks({ ...call(), id: 'x'.repeat(83) }), answer('x'.repeat(83))]),
    message:
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 83 instead.",
    param: 'messages[1].tool_calls[0].id',
    code: 'string_above_max_length',
  },
  {
    id: 'call-name',
    good: chat([user, asks(call({ name: 'get_x-1' })), answer()]),
    bad: chat([user, asks(call({ name: 'functions.f' })), answer()]),
    message: pattern('messages[1].tool_calls[0].function.name', '^[a-zA-Z0-9_-]+$'),
    param: 'messages[1].tool_calls[0].function.name',
    code: 'invalid_value',
  },
  {
    id: 'tool-choice-no-tools',
    good: chat([user], { tools: tools(), tool_choice: 'auto' }),
    bad: chat([user], { tool_choice: 'auto' }),
    message: onlyWithTools('tool_choice'),
    param: 'tool_choice',
  },
  {
    id: 'parallel-no-tools',
    good: chat([user], { tools: tools(), parallel_tool_calls: false }),
    bad: chat([user], { parallel_tool_calls: false }),
    message: onlyWithTools('parallel_tool_calls'),
    param: 'parallel_tool_calls',
  },
  {
    id: 'stream-options',
    good: chat([user], { stream: true, stream_options: { include_usage: true } }),
    bad: chat([user], { stream: false, stream_options: { include_usage: true } }),
    message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    param: 'stream_options',
  },
  {
    id: 'max-tokens',
    good: chat([user], { model: 'gpt-5-mini', max_completion_tokens: 9 }),
    bad: chat([user], { model: 'gpt-5-mini', max_tokens: 9 }),
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    param: 'max_tokens',
    code: 'unsupported_parameter',
  },
  {
    id: 'web-search',
    good: chat([user], { model: 'gpt-4o-search-preview', web_search_options: {} }),
    bad: chat([user], { web_search_options: {} }),
    message: 'Web search options not supported with this model.',
    param: 'web_search_options',
  },
  {
    id: 'audio-model',
    good: chat([{ role: 'user', content: [audio] }], { model: 'gpt-4o-audio-preview' }),
    bad: chat([{ role: 'user', content: [audio] }]),
    message: "Invalid 'messages[0]'. Content blocks are expected to be either text or image_url type.",
    param: 'messages[0]',
    code: 'invalid_value',
  },
  {
    id: 'content-null',
    good: chat([user, asks(call()), answer()]),
    bad: chat([user, { role: 'assistant', content: null }, user]),
    message: "Invalid value for 'content': expected a string, got null.",
    param: 'messages.[1].content',
  },
  {
    id: 'tool-unanswered',
    good: chat([user, asks(call(), { ...call(), id: 'call_2' }), answer('call_2'), answer(), user]),
    bad: chat([user, asks(call(), { ...call(), id: 'call_2' }), answer(), user]),
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_2",
    param: 'messages.[3].role',
  },
  {
    id: 'tool-orphan',
    good: chat([user, asks(call()), answer()]),
    bad: chat([user, answer()]),
    message:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    param: 'messages.[1].role',
  },
  {
    id: 'deepseek-reasoning',
    good: chat([user, { ...asks(call()), reasoning_content: 'Hm' }, answer()], { model: 'deepseek-v4-flash' }),
    bad: chat([user, asks(call()), answer()], { model: 'deepseek-v4-flash' }),
    message: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
    code: 'invalid_request_error',
  },
];

describe.each(cases)('openai-chat.$id', (ruleCase) => {
  test('accepts', () => {
    expect(judgeCase(judgeOpenAIChat, ruleCase.good)).toEqual({ refusal: undefined, warnings: [] });
  });
  test('refuses or warns', () => {
    expect(outcome(judgeOpenAIChat, ruleCase)).toEqual(expected('openai-chat', ruleCase));
  });
});

test('every rule of the judge is tested', () => {
  expect(cases.map(({ id }) => `openai-chat.${id}`).sort()).toEqual([...openAIChatRules].sort());
});

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
