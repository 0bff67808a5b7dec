import { describe, expect, test } from 'vitest';
import { createMessage, type Message, system } from '../../message/index.ts';
import type { RequestParams } from '../request.ts';
import type { FrameParts } from '../write/writer.ts';
import { anthropic } from './provider.ts';
import { view } from './read-response.ts';
import { frame, mark } from './write-request.ts';

const own = (content: string): Message =>
  createMessage(`{"role":"system","content":${content}}`, { dialect: 'anthropic-messages', issuer: 'x' }, view);

function write(parts: Partial<FrameParts>, model = 'claude-sonnet-4-5') {
  const target = { provider: anthropic, model, account: undefined, params: {} };
  const none = {
    system: [],
    tools: [],
    params: {},
    extra: {},
    called: () => [],
    cache: { tools: false, system: false },
  };
  const { head, tail, base, losses } = frame({ ...none, ...parts }, target);
  return { head, tail, base, losses: losses.map((loss) => `${loss.kind} ${loss.path} ${loss.reason}`) };
}
const params = (given: RequestParams, model?: string) => {
  const { tail, losses } = write({ params: given, extra: { tools: '[{}]' } }, model);
  return { tail: tail.replace(',"tools":[{}]', ''), losses };
};

describe('system', () => {
  test.each<[string, Message[], string]>([
    ['one plain text is a string', [system('s')], '"s"'],
    ['an own string keeps its spelling', [own('"\\u0073"')], '"\\u0073"'],
    ['an own list keeps its spelling', [own('[ {"type":"text","text":"s"} ]')], '[ {"type":"text","text":"s"} ]'],
    ['several become one list', [own('"a"'), system('b')], '[{"type":"text","text":"a"},{"type":"text","text":"b"}]'],
    [
      'own markers go',
      [own('[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}]')],
      '[{"type":"text","text":"s"}]',
    ],
  ])('%s', (_, messages, text) => {
    expect(write({ system: messages }).head).toBe(`{"model":"claude-sonnet-4-5","system":${text},"messages":[`);
  });

  test('empty texts are left out', () => {
    expect(write({ system: [system(''), own('""')] }).head).toBe('{"model":"claude-sonnet-4-5","messages":[');
  });
});

describe('tools', () => {
  test('schemas keep their spelling, native tools too, foreign ones are named', () => {
    const { head, losses } = write({
      tools: [
        { name: 'f', description: 'd', parameters: '{ "type": "object", "n": 1.0 }' },
        {
          dialect: 'anthropic-messages',
          native: '{"type":"web_search_20250305","name":"web_search","cache_control":{}}',
        },
        { dialect: 'openai-responses', native: '{"type":"web_search"}' },
      ],
    });
    expect(head).toContain(
      '"tools":[{"name":"f","description":"d","input_schema":{ "type": "object", "n": 1.0 }},{"type":"web_search_20250305","name":"web_search"}],',
    );
    expect(losses).toEqual(['dropped tools[2] server-tool', 'rewritten tools[1] cache-marker']);
  });

  test('a schema without a type is one of an object', () => {
    expect(write({ tools: [{ name: 'f', parameters: {} }] }).head).toContain('"input_schema":{"type":"object"}');
  });
});

test('markers stand in the head and not in the base of the prefix', () => {
  const parts = { system: [system('s')], tools: [{ name: 'f', parameters: '{"type":"object"}' }] };
  const plain = write(parts);
  const marked = write({ ...parts, cache: { tools: true, system: true } });
  expect(marked.base).toBe(plain.base);
  expect(marked.head).toBe(
    '{"model":"claude-sonnet-4-5","system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"tools":[{"name":"f","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],"messages":[',
  );
});

describe('parameters', () => {
  test('max_tokens is always there', () => {
    expect(params({}).tail).toBe('],"max_tokens":4096}');
    expect(params({ reasoning: { budget: 2000 } }).tail).toBe(
      '],"max_tokens":6096,"thinking":{"type":"enabled","budget_tokens":2000}}',
    );
  });

  test('what the API has a word for', () => {
    expect(params({ maxTokens: 1, temperature: 0, topP: 0.5, stop: ['x'], stream: true, seed: 3 })).toEqual({
      tail: '],"max_tokens":1,"temperature":0,"top_p":0.5,"stop_sequences":["x"],"stream":true}',
      losses: ['dropped params.seed parameter'],
    });
  });

  test.each<[RequestParams, string]>([
    [{ toolChoice: 'auto' }, '{"type":"auto"}'],
    [{ toolChoice: 'none', parallelToolCalls: false }, '{"type":"none"}'],
    [{ toolChoice: 'required' }, '{"type":"any"}'],
    [
      { toolChoice: { name: 'f' }, parallelToolCalls: false },
      '{"type":"tool","name":"f","disable_parallel_tool_use":true}',
    ],
    [{ parallelToolCalls: false }, '{"type":"auto","disable_parallel_tool_use":true}'],
  ])('tool choice %j', (given, text) => {
    expect(params(given).tail).toContain(`"tool_choice":${text}`);
  });

  test('a choice without tools is left out', () => {
    expect(write({ params: { toolChoice: 'auto' } }).losses).toEqual(['dropped params.toolChoice parameter']);
  });

  test('reasoning is asked for in the way of the model', () => {
    const adaptive = '"thinking":{"type":"adaptive"}';
    expect(params({ reasoning: { effort: 'high' } }, 'claude-opus-5').tail).toContain(
      `${adaptive},"output_config":{"effort":"high"}`,
    );
    expect(params({ reasoning: { effort: 'high' } })).toEqual({
      tail: '],"max_tokens":4096}',
      losses: ['dropped params.reasoning.effort parameter'],
    });
    const budget = params({ reasoning: { budget: 2000 } }, 'claude-opus-5');
    expect(budget.tail).toBe(`],"max_tokens":4096,${adaptive}}`);
    expect(budget.losses).toEqual(['rewritten params.reasoning.budget parameter']);
    expect(params({ reasoning: { effort: 'none' } }).tail).toContain('"thinking":{"type":"disabled"}');
    expect(params({ reasoning: { effort: 'none' } }, 'claude-fable-5').losses).toHaveLength(1);
  });

  test.each<[string, RequestParams, string, string, string[]]>([
    ['above max_tokens', { maxTokens: 5000 }, 'claude-sonnet-4-5', 'enabled","budget_tokens":2500', ['rewritten']],
    ['above max_tokens, which is small', { maxTokens: 2000 }, 'claude-sonnet-4-5', '', ['dropped']],
    ['the same, where effort is taken, too', { maxTokens: 2000 }, 'claude-opus-4-6', 'adaptive', ['rewritten']],
    ['just below max_tokens', { maxTokens: 8001 }, 'claude-sonnet-4-5', 'enabled","budget_tokens":8000', []],
  ])('a budget %s is made to fit, and that is told', (_, given, model, thinking, kinds) => {
    const { tail, losses } = params({ ...given, reasoning: { budget: 8000 } }, model);
    const text = thinking && `,"thinking":{"type":"${thinking}${thinking.endsWith('0') ? '' : '"'}}`;
    expect(tail).toBe(`],"max_tokens":${given.maxTokens}${text}}`);
    expect(losses).toEqual(kinds.map((kind) => `${kind} params.reasoning.budget parameter`));
  });

  test('a budget below the least is no thinking, and that is told', () => {
    expect(params({ maxTokens: 3000, reasoning: { budget: 1023 } })).toEqual({
      tail: '],"max_tokens":3000}',
      losses: ['dropped params.reasoning.budget parameter'],
    });
  });

  test('extra members merge into what stands there', () => {
    const { tail } = write(
      { params: { reasoning: { effort: 'low' } }, extra: { output_config: '{"format":{}}', top_k: '1.0' } },
      'claude-opus-5',
    );
    expect(tail).toContain('"output_config":{"effort":"low","format":{}},"top_k":1.0}');
  });
});

describe('mark', () => {
  test('goes on the last block that may carry it', () => {
    const blocks = '{"type":"text","text":"a"},{"type":"thinking","thinking":"","signature":"s"}';
    expect(mark(`{"role":"assistant","content":[${blocks}]}`)).toBe(
      `{"role":"assistant","content":[${blocks.replace('"a"', '"a","cache_control":{"type":"ephemeral"}')}]}`,
    );
  });

  test('makes a list of a string', () => {
    expect(mark('{"role":"user","content":"a\\u0062"}')).toBe(
      '{"role":"user","content":[{"type":"text","text":"a\\u0062","cache_control":{"type":"ephemeral"}}]}',
    );
  });

  test('there may be no place', () => {
    expect(mark('{"role":"assistant","content":[]}')).toBeUndefined();
    expect(mark('[{"name":"f","defer_loading":true}]')).toBeUndefined();
  });
});
