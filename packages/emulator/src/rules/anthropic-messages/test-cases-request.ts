import type { Json } from '../../json.ts';
import {
  assistant,
  type Case,
  type Cases,
  hello,
  NEW,
  OLD,
  says,
  search,
  send,
  text,
  thinking,
  toolResult,
  toolUse,
  user,
} from './test-requests.ts';

const key = { 'x-api-key': 'k' };
const tool = { name: 'f', input_schema: { type: 'object' } };
const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' } };
const documented = { messages: [user(text('hello')), assistant(text('Here.'), document), user(text('thanks'))] };

export const schemaCases: Cases = {
  json: { good: send({}), bad: { body: '{"model":' }, message: /^The request body is not valid JSON: / },
  surrogate: {
    good: says(user(text('🧶'))),
    bad: says(user(text('\ud83e'))),
    message: /^The request body is not valid JSON: no low surrogate in string: line 1 column \d+ \(char \d+\)$/,
  },
  auth: {
    good: send({}, { headers: { authorization: 'Bearer t', 'anthropic-version': '2023-06-01' } }),
    bad: send({}, { headers: { 'anthropic-version': '2023-06-01' } }),
    status: 401,
    message: 'x-api-key header is required',
  },
  'version-header': {
    good: send({}, { headers: { ...key, 'anthropic-version': '2023-06-01' } }),
    bad: send({}, { headers: key }),
    message: 'anthropic-version: header is required',
  },
  'version-sampling': {
    good: send({ temperature: 0.5 }, { headers: { ...key, 'anthropic-version': '2023-06-01' } }),
    bad: send({ temperature: 0.5 }, { headers: { ...key, 'anthropic-version': '2026-10-21' } }),
    message: 'temperature: Extra inputs are not permitted',
  },
  'version-citations': {
    good: send(
      { messages: [user({ ...text('hello'), citations: [] })] },
      { headers: { ...key, 'anthropic-version': '2023-06-01' } },
    ),
    bad: send(
      { messages: [user({ ...text('hello'), citations: [] })] },
      { headers: { ...key, 'anthropic-version': '2026-10-21' } },
    ),
    message: 'messages.0.content.0.text.citations: Extra inputs are not permitted',
  },
  'version-document': {
    good: send(documented, { headers: { ...key, 'anthropic-version': '2023-06-01' } }),
    bad: send(documented, { headers: { ...key, 'anthropic-version': '2026-10-21' } }),
    message: 'messages.1.content.1: `document` blocks can only be in `user` messages',
  },
  required: { good: send({}), bad: send({ max_tokens: undefined }), message: 'max_tokens: Field required' },
  'no-messages': { good: send({}), bad: says(), message: 'messages: at least one message is required' },
  'extra-top': {
    good: send({ output_config: { format: { type: 'json_schema', schema: {} } } }),
    bad: send({ response_format: {} }),
    message: 'response_format: Extra inputs are not permitted',
  },
  'extra-message': {
    good: says(hello),
    bad: says({ ...hello, id: 'msg_1' }),
    message: 'messages.0.id: Extra inputs are not permitted',
  },
  'extra-block': {
    good: says(hello, assistant(toolUse('a', { caller: { type: 'direct' } })), user(toolResult('a'))),
    bad: says(hello, assistant(thinking('s', { cache_control: { type: 'ephemeral' } }), text('hi')), hello),
    message: 'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
  },
  'extra-tool': {
    good: send({ tools: [{ ...tool, defer_loading: true }] }),
    bad: send({ tools: [{ ...tool, parameters: {} }] }),
    message: 'tools.0.custom.parameters: Extra inputs are not permitted',
  },
  type: {
    good: send({ system: 'be kind' }),
    bad: send({ stop_sequences: 'end' }),
    message: 'stop_sequences: Input should be a valid list',
  },
  'block-role': {
    good: says(hello, assistant(toolUse('a')), user(toolResult('a'))),
    bad: says(user(toolUse('a'))),
    message: 'messages.0.content.0: `tool_use` blocks can only be in `assistant` messages',
  },
  'tool-id': {
    good: says(hello, assistant(toolUse('call_A-1')), user(toolResult('call_A-1'))),
    bad: says(hello, assistant(toolUse('a:1')), user(toolResult('a:1'))),
    message: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  'tool-input': {
    good: says(hello, assistant(toolUse('a', { input: { x: 1 } })), user(toolResult('a'))),
    bad: says(hello, assistant(toolUse('a', { input: '{"x":1}' })), user(toolResult('a'))),
    message: 'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  },
  'tool-name': {
    good: send({ tools: [tool] }),
    bad: send({ tools: [{ ...tool, name: 'f.g' }] }),
    message: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  },
  'tool-schema': {
    good: send({ tools: [tool] }),
    bad: send({ tools: [{ ...tool, input_schema: { type: 'string' } }] }),
    message: "tools.0.custom.input_schema.type: Input should be 'object'",
  },
  'server-tool-id': {
    good: says(hello, assistant(search('srvtoolu_1'))),
    bad: says(hello, assistant(search('toolu_1'))),
    message: "messages.1.content.0.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
  },
};

const CACHE = { cache_control: { type: 'ephemeral' } };
const HOUR = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const cached = (...marks: Json[]) => send({ messages: [user(...marks.map((mark) => text('a', mark)))] });

const enabled = { type: 'enabled', budget_tokens: 1024 };
const binding = {
  model: NEW,
  thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
};
const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
const any = { tool_choice: { type: 'any' } };

const thinkingCase = (good: Json, bad: Json, message: Case['message']): Case => ({
  good: send(good),
  bad: send(bad),
  message,
});

export const settingsCases: Cases = {
  'thinking-enabled-unsupported': thinkingCase(
    { model: 'claude-opus-4-6', thinking: enabled },
    { model: 'claude-opus-4-7', thinking: enabled },
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  ),
  'adaptive-unsupported': thinkingCase(
    { model: 'claude-sonnet-4-6', thinking: { type: 'adaptive' } },
    { model: OLD, thinking: { type: 'adaptive' } },
    'adaptive thinking is not supported on this model',
  ),
  'thinking-disabled-unsupported': thinkingCase(
    { model: 'claude-haiku-5-5', thinking: { type: 'disabled' } },
    { model: 'claude-sonnet-5-5', thinking: { type: 'disabled' } },
    /^"thinking\.type\.disabled" is not supported for this model\./,
  ),
  'budget-min': thinkingCase(
    { thinking: enabled },
    { thinking: { type: 'enabled', budget_tokens: 1023 } },
    'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  ),
  'budget-max': thinkingCase(
    { thinking: enabled, max_tokens: 1025 },
    { thinking: enabled, max_tokens: 1024 },
    /^`max_tokens` must be greater than `thinking\.budget_tokens`\./,
  ),
  'thinking-temperature': thinkingCase(
    { thinking: enabled, temperature: 1 },
    { thinking: enabled, temperature: 0 },
    /^`temperature` may only be set to 1 when thinking is enabled\./,
  ),
  'thinking-top-p': thinkingCase(
    { thinking: enabled, top_p: 0.95 },
    { thinking: enabled, top_p: 0.5 },
    /^`top_p` must be greater than or equal to 0\.95 or unset when thinking is enabled\./,
  ),
  'thinking-forced-tool': thinkingCase(
    { model: 'claude-opus-4-6', thinking: { type: 'adaptive' }, ...any },
    { thinking: enabled, ...any },
    'Thinking may not be enabled when tool_choice forces tool use.',
  ),
  'forced-tool-unsupported': thinkingCase(
    { model: 'claude-opus-5', ...any },
    { model: 'claude-fable-5', ...any },
    /forcing tool use is not supported for this model/,
  ),
  effort: thinkingCase(
    { model: 'claude-opus-4-6', output_config: { effort: 'max' } },
    { model: 'claude-opus-4-6', output_config: { effort: 'xhigh' } },
    "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
  ),
  'block-binding-beta': {
    good: send(binding, { headers: { ...headers, 'anthropic-beta': 'a, thinking-binding-controls-2026-08-01' } }),
    bad: send(binding, { headers }),
    message: /requires the `thinking-binding-controls-2026-08-01` value/,
  },
  'cache-max': {
    good: cached(CACHE, CACHE, CACHE, CACHE),
    bad: cached(CACHE, CACHE, CACHE, CACHE, CACHE),
    message: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  'cache-ttl-order': {
    good: cached(HOUR, CACHE),
    bad: cached(CACHE, HOUR),
    message:
      /^messages\.0\.content\.1\.cache_control\.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block/,
  },
  'cache-empty': {
    good: cached(CACHE),
    bad: send({ messages: [user(text('a'), text('', CACHE))] }),
    message: 'messages.0.content.1.text: cache_control cannot be set for empty text blocks',
  },
};
