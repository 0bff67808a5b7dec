import { describe, expect, it } from 'vitest';
import { bedrockConverseRules, judgeBedrockConverse } from './judge.ts';

type Body = Readonly<Record<string, unknown>>;

interface Case {
  readonly good: Body;
  readonly bad: Body | string;
  readonly message: string;
  readonly model?: string;
  readonly status?: number;
}

const NOVA = 'amazon.nova-lite-v1:0';
const CLAUDE = 'us.anthropic.claude-opus-4-8';
const user = (...content: readonly object[]) => ({ role: 'user', content });
const model = (...content: readonly object[]) => ({ role: 'assistant', content });
const hello = user({ text: 'Hello' });
const call = (toolUseId: string, more: object = {}) => ({ toolUse: { toolUseId, name: 'f', input: {}, ...more } });
const result = (toolUseId: string, more: object = {}) => ({
  toolResult: { toolUseId, content: [{ text: 'x' }], ...more },
});
const document = (name: string) => ({ document: { format: 'pdf', name, source: { bytes: 'eA==' } } });
const says = (...messages: readonly object[]): Body => ({ messages });
const spec = (more: object = {}) => ({ name: 'f', inputSchema: { json: { type: 'object' } }, ...more });
const toolConfig = { tools: [{ toolSpec: spec() }] };
const withTools = (...messages: readonly object[]): Body => ({ messages, toolConfig });
const thought = { reasoningContent: { reasoningText: { text: 'Hm', signature: 'bm8=' } } };

const cases: Readonly<Record<string, Case>> = {
  json: { good: says(hello), bad: '{"messages":', message: 'The request body is not a valid JSON object' },
  surrogate: {
    good: says(user({ text: '🙂' })),
    bad: says(user({ text: '\ud83d' })),
    message: 'The request body has a lone surrogate',
  },
  'no-messages': { good: says(hello), bad: says(), message: 'A conversation must start with a user message.' },
  type: {
    good: says(hello, { role: 'system', content: [{ text: 'Be brief.' }] }),
    bad: says({ role: 'tool', content: [{ text: 'x' }] }),
    message: "Value 'tool' at 'messages.1.member.role'",
  },
  'block-kind': {
    good: says(user({ text: 'Hello' }, { cachePoint: { type: 'default' } })),
    bad: says(user({ type: 'text', txt: 'Hello' })),
    message: 'The ContentBlock object at messages.0.content.0 must set one of the following keys: text,',
  },
  'empty-message': {
    good: says(hello),
    bad: says(user({ cachePoint: { type: 'default' } })),
    message: 'The content field in the Message object at messages.0 is empty.',
  },
  'blank-text': {
    good: { messages: [hello], system: [{ text: 'Be brief.' }] },
    bad: { messages: [hello], system: [{ text: ' ' }] },
    message: 'The text field in the SystemContentBlock object at system.0 is blank.',
  },
  'document-name': {
    good: says(user(document('Report (2026) [a]'), { text: 'Read it.' })),
    bad: says(user(document('report.pdf'), { text: 'Read it.' })),
    message: 'The document file name at messages.0.content.0.document can only contain',
  },
  'document-text': {
    good: says(user(document('Report'), { text: 'Read it.' })),
    bad: says(user(document('Report'))),
    message: 'The content field in the Message object at messages.0 has a document',
  },
  'roles-alternate': {
    good: says(hello, model({ text: 'Hi' }), hello),
    bad: says(hello, hello),
    message: 'A conversation must alternate between user and assistant roles.',
  },
  'tool-config': {
    good: withTools(hello, model(call('a')), user(result('a'))),
    bad: says(hello, model(call('a')), user(result('a'))),
    message: 'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
  },
  'tool-name': {
    good: withTools(hello, model(call('a', { name: 'get_x-1' })), user(result('a'))),
    bad: withTools(hello, model(call('a', { name: 'get.x' })), user(result('a'))),
    message: "Value 'get.x' at 'messages.2.member.content.1.member.toolUse.name'",
  },
  'tool-id': {
    good: withTools(hello, model(call('functions.look:0')), user(result('functions.look:0'))),
    bad: withTools(hello, model(call('a b')), user(result('a b'))),
    message: "Value 'a b' at 'messages.2.member.content.toolUseId'",
  },
  'tool-schema': {
    good: { messages: [hello], toolConfig },
    bad: { messages: [hello], toolConfig: { tools: [{ toolSpec: spec({ inputSchema: { json: {} } }) }] } },
    message: 'The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object.',
  },
  'tool-input': {
    good: withTools(hello, model(call('a', { input: { q: 1 } })), user(result('a'))),
    bad: withTools(hello, model(call('a', { input: '{}' })), user(result('a'))),
    message: 'The format of the value at messages.1.content.0.toolUse.input is invalid.',
  },
  'result-empty': {
    good: withTools(hello, model(call('a')), user(result('a', { content: [] }))),
    bad: withTools(hello, model(call('a')), user(result('a', { content: [], status: 'error' }))),
    message: 'The content field at messages.2.content.0.toolResult cannot be empty when status value is error.',
  },
  'tool-id-unique': {
    good: withTools(hello, model(call('a'), call('b')), user(result('a'), result('b'))),
    bad: withTools(hello, model(call('a'), call('a')), user(result('a'))),
    message: 'The toolUse blocks at messages.1.content contain duplicate Ids: a',
  },
  'tool-unanswered': {
    good: withTools(hello, model(call('a')), user(result('a'), { text: 'So?' })),
    bad: withTools(hello, model(call('a')), hello),
    message: 'Expected toolResult blocks at messages.2.content for the following Ids: a',
  },
  'tool-result-orphan': {
    good: withTools(hello, model(call('a')), user(result('a'))),
    bad: withTools(user(result('a'))),
    message: 'The number of toolResult blocks at messages.0.content exceeds the number of toolUse blocks',
  },
  'cache-unsupported': {
    good: { ...says(hello), system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }] },
    bad: { ...says(hello), toolConfig: { tools: [{ toolSpec: spec() }, { cachePoint: { type: 'default' } }] } },
    message: 'You invoked an unsupported model or your request did not allow prompt caching.',
    status: 403,
  },
  'model-errors': {
    good: says(hello, model({ text: 'Hi' }), hello),
    bad: says(hello, model(thought, { text: 'Hi' }), hello),
    message: 'The model returned the following errors: ',
    model: CLAUDE,
  },
};

const memory = { issued: () => undefined, stored: () => false, ownField: () => false };

const judge = (body: Body | string, name = NOVA) =>
  judgeBedrockConverse({ body: typeof body === 'string' ? body : JSON.stringify(body), model: name, memory });

describe('every rule of Converse', () => {
  it('has a case', () => {
    expect(Object.keys(cases).sort()).toEqual([...bedrockConverseRules].sort());
  });

  it.each(Object.entries(cases))('%s', (id, { good, bad, message, model: name, status = 400 }) => {
    expect(judge(good, name)).toEqual({ refusal: undefined, warnings: [] });
    const { refusal } = judge(bad, name);
    expect(refusal).toMatchObject({ rule: `bedrock-converse.${id}`, status });
    expect(refusal!.message).toContain(message);
    expect(JSON.parse(refusal!.body)).toEqual({ message: refusal!.message });
  });
});

it('a message of the system, which the newest SDK has, is accepted and is no turn', () => {
  const system = { role: 'system', content: [{ toolRemoval: { name: 'f' } }] };
  expect(judge(says(hello, model({ text: 'Hi' }), system, hello)).refusal).toBeUndefined();
  expect(judge(says(hello, system, hello)).refusal?.rule).toBe('bedrock-converse.roles-alternate');
});

it('calls of tools that run at the provider need no answer', () => {
  const runs = call('a', { type: 'server_tool_use' });
  const ran = result('a', { type: 'nova_code_interpreter_result' });
  expect(judge(says(hello, model(runs, ran, { text: 'Four.' }), hello)).refusal).toBeUndefined();
});
