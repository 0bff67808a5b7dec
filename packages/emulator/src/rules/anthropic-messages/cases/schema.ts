import { assistant, type Cases, hello, says, search, send, text, thinking, toolResult, toolUse, user } from './case.ts';

const key = { 'x-api-key': 'k' };
const tool = { name: 'f', input_schema: { type: 'object' } };

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
