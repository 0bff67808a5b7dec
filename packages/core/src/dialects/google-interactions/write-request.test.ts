import { describe, expect, it } from 'vitest';
import { assistant, type Message, toolResult, user } from '../../message/index.ts';
import type { WriteRequest } from '../request.ts';
import { writeRequest } from '../write/write-request.ts';
import { googleInteractions as dialect } from './index.ts';

const MODEL = 'gemini-3.6-flash';

function write(messages: readonly Message[], more: Partial<WriteRequest> = {}) {
  const { body, losses } = writeRequest(dialect, { model: MODEL, messages, ...more });
  return { body: JSON.parse(body), losses, text: body };
}

const turn = (...steps: object[]): Message => dialect.parseMessage(JSON.stringify(steps), { model: MODEL });
const said = (words: string) => ({ type: 'model_output', content: [{ type: 'text', text: words }] });
const input = (words: string) => ({ type: 'user_input', content: [{ type: 'text', text: words }] });
const call = { type: 'function_call', id: 'c1', name: 'f', arguments: { a: 1 } };

describe('the body', () => {
  it('is stateless unless the caller says otherwise, and an agent takes the place of the model', () => {
    const messages = [user('Hi')];
    expect(write(messages).body).toEqual({ model: MODEL, input: [input('Hi')], store: false });
    expect(write(messages, { extra: { store: true, previous_interaction_id: 'v1_a' } }).body).toMatchObject({
      ...{ store: true, previous_interaction_id: 'v1_a' },
    });
    const extra = { agent: 'deep-research-preview-04-2026', background: true };
    expect(write(messages, { extra }).body).toEqual({ ...extra, input: [input('Hi')], store: true });
  });

  it('has the parameters in its settings, merged with those of the caller', () => {
    const params = { maxTokens: 9, stream: true, toolChoice: { name: 'f' }, reasoning: { effort: 'High' } } as const;
    const tools = [{ name: 'f', description: 'F', parameters: '{"type":"object","x":1.0}' }];
    const extra = { generation_config: { thinking_summaries: 'auto' } };
    const { body, text, losses } = write([user('Hi')], { system: 'Be brief.', tools, params, extra });
    expect(body).toMatchObject({ system_instruction: 'Be brief.', stream: true });
    expect(body.generation_config).toEqual({
      ...{ max_output_tokens: 9, thinking_level: 'high', thinking_summaries: 'auto' },
      tool_choice: { allowed_tools: { mode: 'any', tools: ['f'] } },
    });
    expect(text).toContain('{"type":"function","name":"f","description":"F","parameters":{"type":"object","x":1.0}}');
    expect(losses).toEqual([]);
  });

  it('has no place for a budget of thoughts or for calls one by one', () => {
    const { losses } = write([user('Hi')], { params: { reasoning: { budget: 5 }, parallelToolCalls: false } });
    expect(losses.map(({ path }) => path)).toEqual(['params.parallelToolCalls', 'params.reasoning.budget']);
  });
});

describe('messages of others', () => {
  it('become steps: text, calls and results', () => {
    const foreign = assistant([
      { type: 'text', text: 'Wait' },
      { type: 'tool-use', id: 'c1', name: 'f', parameters: {}, rawParameters: '{"a":1.0}' },
    ]);
    const { text } = write([user('Hi'), foreign, toolResult('c1', 'no', { isError: true }), user('So?')]);
    expect(text).toContain(
      '{"type":"model_output","content":[{"type":"text","text":"Wait"}]},{"type":"function_call","id":"c1","name":"f","arguments":{"a":1.0}},{"type":"function_result","call_id":"c1","name":"f","result":"no","is_error":true}',
    );
  });

  it('show media as contents of its kind', () => {
    const media = (mediaType: string, source: object) => ({ type: 'media', mediaType, source }) as never;
    const { body } = write([
      user([
        media('image/png', { kind: 'base64', data: 'eA==' }),
        media('application/pdf', { kind: 'url', url: 'https://example.com/a.pdf' }),
      ]),
    ]);
    expect(body.input[0].content).toEqual([
      { type: 'image', mime_type: 'image/png', data: 'eA==' },
      { type: 'document', mime_type: 'application/pdf', uri: 'https://example.com/a.pdf' },
    ]);
  });
});

describe('its own messages', () => {
  it('go back as they came, but for empty signatures', () => {
    const search = { id: 's1', signature: '', type: 'google_search_call', arguments: { queries: ['x'] } };
    const thought = { type: 'thought', signature: 'c2ln' };
    const { body, losses } = write([user('Hi'), turn(thought, said('Yes'), search), user('Go on')]);
    const { signature: _, ...unsigned } = search;
    expect(body.input).toEqual([input('Hi'), thought, said('Yes'), unsigned, input('Go on')]);
    expect(losses).toMatchObject([{ kind: 'rewritten', path: '[2].signature', reason: 'empty' }]);
  });

  it('keep the result of executed code, whether it is a text or a list of contents', () => {
    const ran = (result: unknown) => ({ type: 'code_execution_result', call_id: 'x1', result, signature: 'c2ln' });
    const image = { type: 'image', mime_type: 'image/png', data: 'eA==' };
    for (const step of [ran('4'), ran([{ type: 'text', text: '4' }, image])]) {
      const { body, losses } = write([user('Hi'), turn(step, said('4')), user('Go on')]);
      expect(body.input).toEqual([input('Hi'), step, said('4'), input('Go on')]);
      expect(losses).toEqual([]);
    }
  });

  it('leave out a thought that has neither a signature nor a summary', () => {
    const { body, losses } = write([user('Hi'), turn({ type: 'thought', signature: '' }, said('Yes')), user('Go on')]);
    expect(body.input).toEqual([input('Hi'), said('Yes'), input('Go on')]);
    expect(losses).toMatchObject([{ kind: 'dropped', path: '[0]', reason: 'empty' }]);
  });

  it('leave out what is bound to another account, and say why', () => {
    const search = { id: 's1', type: 'google_search_call', signature: 'c2ln', arguments: {} };
    const steps = [{ type: 'thought', signature: 'c2ln' }, search, said('Yes')];
    const provider = {
      ...dialect.home,
      policies: { ...dialect.home.policies, reasoningBoundTo: { default: ['account' as const] } },
    };
    const from = dialect.parseMessage(JSON.stringify(steps), { model: MODEL, account: 'a' });
    const { body, losses } = write([user('Hi'), from, user('Go on')], { provider, account: 'b' });
    const { signature: _, ...unsigned } = search;
    expect(body.input).toEqual([input('Hi'), unsigned, said('Yes'), input('Go on')]);
    expect(losses).toEqual([
      { kind: 'dropped', message: 1, path: '[0]', reason: 'account-bound' },
      { kind: 'dropped', message: 1, path: '[1].signature', reason: 'account-bound' },
    ]);
  });

  it('leave out a call whose arguments never came, and keep one that was answered', () => {
    const cut = dialect.parseMessage(JSON.stringify([said('Yes'), { ...call, arguments: '{"a' }]), { cut: true });
    expect(write([user('Hi'), cut, user('Go on')]).body.input).toEqual([input('Hi'), said('Yes'), input('Go on')]);
    const result = dialect.parseMessage(
      '{"type":"user_input","content":[{"type":"function_result","call_id":"c1","result":"x"}]}',
    );
    const { body, losses } = write([user('Hi'), turn(call), result]);
    expect(body.input.slice(1)).toEqual([call, JSON.parse(result.raw)]);
    expect(losses).toEqual([]);
  });

  it('ask the model to continue where the request would end with its own words', () => {
    const { body, losses } = write([user('Hi'), turn(said('One,'))]);
    expect(body.input.at(-1)).toEqual(input('Continue.'));
    expect(losses).toMatchObject([{ kind: 'synthesised', reason: 'prefill' }]);
  });
});
