import { describe, expect, it } from 'vitest';
import { googleInteractions as dialect } from './index.ts';

const read = (body: object) => dialect.readRequest(JSON.stringify({ model: 'm', ...body }));
const raws = (input: unknown) => read({ input: input as object }).messages.map(({ raw }) => raw);
const step = (...content: object[]) => ({ type: 'user_input', content });
const text = (said: string) => ({ type: 'text', text: said });
const call = { type: 'function_call', id: 'c1', name: 'f', arguments: { a: 1 } };
const result = { type: 'function_result', call_id: 'c1', name: 'f', result: 'x' };

describe('the forms of input', () => {
  it('a string, a content and a list of contents are one step of the user', () => {
    const expected = [JSON.stringify(step(text('Hi')))];
    expect(raws('Hi')).toEqual(expected);
    expect(raws(text('Hi'))).toEqual(expected);
    expect(raws([text('Hi')])).toEqual(expected);
    expect(raws([text('Hi'), { type: 'image', data: 'eA==', mime_type: 'image/png' }])).toHaveLength(1);
  });

  it('the steps of one reply are one message, and results end it', () => {
    const thought = { type: 'thought', signature: 'c2ln' };
    const { messages } = read({ input: [step(text('Hi')), thought, call, result, thought] });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(messages[1]!.raw).toBe(JSON.stringify([thought, call]));
  });

  it('a result is read as a step, and inside of an input', () => {
    const inside = { type: 'function_result', call_id: 'c1', result: [text('x')], is_error: true };
    const { messages } = read({ input: [result, step(inside), step(inside, text('So?'))] });
    expect(messages.map(({ role }) => role)).toEqual(['tool', 'tool', 'user']);
    expect(messages.map(({ toolResults }) => toolResults[0])).toEqual([
      { type: 'tool-result', toolCallId: 'c1', content: [text('x')], isError: false },
      { type: 'tool-result', toolCallId: 'c1', content: [text('x')], isError: true },
      { type: 'tool-result', toolCallId: 'c1', content: [text('x')], isError: true },
    ]);
  });

  it('a result that is an object is shown as its text', () => {
    const { messages } = read({ input: [{ ...result, result: { n: 1 } }] });
    expect(messages[0]!.toolResults[0]!.content).toEqual([text('{"n":1}')]);
  });

  it('a request without input goes on by its token', () => {
    const { messages, rest } = read({ continuation_token: 't', previous_interaction_id: 'v1_a' });
    expect(messages).toEqual([]);
    expect(rest).toEqual({ continuation_token: '"t"', previous_interaction_id: '"v1_a"' });
  });
});

it('the name of an agent counts as that of the model', () => {
  const { model, rest } = dialect.readRequest('{"agent":"deep-research-preview-04-2026","input":"Hi"}');
  expect(model).toBe('deep-research-preview-04-2026');
  expect(rest).toEqual({ agent: '"deep-research-preview-04-2026"' });
});

it('parameters are read from the settings, and what they cannot hold stays there', () => {
  const { params, rest } = read({
    input: 'Hi',
    stream: true,
    generation_config: {
      max_output_tokens: 9,
      thinking_level: 'low',
      tool_choice: 'any',
      stop_sequences: ['x'],
      thinking_summaries: 'auto',
    },
  });
  expect(params).toEqual({
    ...{ stream: true, maxTokens: 9, stop: ['x'] },
    ...{ reasoning: { effort: 'low' }, toolChoice: 'required' },
  });
  expect(rest).toEqual({ generation_config: '{"thinking_summaries":"auto"}' });
});

it('refuses the request of another protocol', () => {
  expect(() => read({ contents: [] })).toThrow('the request has no "input"');
});
