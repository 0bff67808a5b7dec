import { describe, expect, it } from 'vitest';
import { cohereChatRules, judgeCohereChat } from './judge.ts';

type Body = Readonly<Record<string, unknown>>;

interface Case {
  readonly good: Body;
  readonly bad: Body | string;
  readonly message: string;
}

const hello = { role: 'user', content: 'Hello' };
const call = (id: string, given = '{}') => ({ id, type: 'function', function: { name: 'f', arguments: given } });
const calls = (...list: readonly object[]) => ({ role: 'assistant', tool_plan: 'I look.', tool_calls: list });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' });
const says = (...messages: readonly object[]): Body => ({ model: 'command-a-03-2025', messages });

const cases: Readonly<Record<string, Case>> = {
  json: { good: says(hello), bad: '{"model":', message: 'the body is not valid JSON' },
  surrogate: {
    good: says({ role: 'user', content: '🙂' }),
    bad: says({ role: 'user', content: '\ud83d' }),
    message: 'the body is not valid UTF-8',
  },
  required: { good: says(hello), bad: { messages: [hello] }, message: 'model is required' },
  'unknown-field': {
    good: { ...says(hello), thinking: { type: 'disabled' }, priority: 1 },
    bad: { ...says(hello), mood: 'good' },
    message: "unknown field: parameter 'mood' is not a valid field",
  },
  'no-messages': { good: says(hello), bad: says(), message: 'messages must contain at least one message' },
  role: {
    good: says({ role: 'system', content: 'Be brief.' }, hello),
    bad: says({ role: 'developer', content: 'Be brief.' }, hello),
    message: "unknown role 'developer' at messages[0]",
  },
  'part-type': {
    good: says({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] }),
    bad: says({ role: 'user', content: [{ type: 'thinking', thinking: 'Hm' }] }),
    message: "content type 'thinking' is not supported at messages[0].content[0]",
  },
  'empty-content': {
    good: says(hello, calls(call('a')), result('a')),
    bad: says(hello, { role: 'assistant', content: '' }, hello),
    message: 'the message at messages[1] must have content or tool_calls',
  },
  'empty-text': {
    good: says({ role: 'user', content: [{ type: 'text', text: 'Hi' }] }),
    bad: says({
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'text', text: '' },
      ],
    }),
    message: 'text content at messages[0] must not be empty',
  },
  'tool-arguments': {
    good: says(hello, calls(call('a', 'null')), result('a')),
    bad: says(hello, calls(call('a', '{"q":')), result('a')),
    message: 'the arguments of a tool call at messages[1] are not valid JSON',
  },
  'tool-unanswered': {
    good: says(hello, calls(call('a'), call('b')), result('b'), result('a')),
    bad: says(hello, calls(call('a'), call('b')), result('b'), hello),
    message: 'tool calls at messages[1] must be followed by tool results: a',
  },
  'tool-orphan': {
    good: says(hello, calls(call('a')), result('a')),
    bad: says(hello, result('a')),
    message: "tool_call_id 'a' at messages[1] was not found in the previous tool calls",
  },
  'tool-id-unique': {
    good: says(hello, calls(call('a'), call('b')), result('a'), result('b')),
    bad: says(hello, calls(call('a'), call('a')), result('a')),
    message: 'tool call ids at messages[1] must be unique',
  },
  'assistant-last': {
    good: says(hello, { role: 'assistant', content: 'Hi' }, hello),
    bad: says(hello, { role: 'assistant', content: 'Hi' }),
    message: 'the last message must be a user or a tool message',
  },
};

const judge = (body: Body | string) =>
  judgeCohereChat({ body: typeof body === 'string' ? body : JSON.stringify(body) });

describe("every rule of Cohere's chat", () => {
  it('has a case', () => {
    expect(Object.keys(cases).sort()).toEqual([...cohereChatRules].sort());
  });

  it.each(Object.entries(cases))('%s', (id, { good, bad, message }) => {
    expect(judge(good)).toEqual({ refusal: undefined, warnings: [] });
    const { refusal } = judge(bad);
    expect(refusal).toMatchObject({ rule: `cohere-chat.${id}`, status: 400 });
    expect(refusal!.message).toContain(message);
  });
});
