import { describe, expect, test } from 'vitest';
import { expected, judgeCase, outcome } from '../openai/test-cases.ts';
import type { ResponsesMemory } from './context.ts';
import { judgeOpenAIResponses, openAIResponsesRules } from './judge.ts';
import { schemaCases } from './test-cases-schema.ts';
import { stateCases } from './test-cases-state.ts';
import { call, create, memory, result, says, thinks, user } from './test-requests.ts';

const cases = [...schemaCases, ...stateCases];

describe.each(cases)('openai-responses.$id', (ruleCase) => {
  test('accepts', () => {
    const verdict = judgeCase(judgeOpenAIResponses, ruleCase.good, ruleCase.memory);
    expect(verdict).toEqual({ refusal: undefined, warnings: [] });
  });
  test('refuses or warns', () => {
    expect(outcome(judgeOpenAIResponses, ruleCase)).toEqual(expected('openai-responses', ruleCase));
  });
});

test('every rule of the judge is tested', () => {
  expect(cases.map(({ id }) => `openai-responses.${id}`).sort()).toEqual([...openAIResponsesRules].sort());
});

const ruleOf = (body: unknown, known?: ResponsesMemory) => judgeCase(judgeOpenAIResponses, body, known).refusal?.rule;

test('reasoning is last, or followed by an item it was not produced with', () => {
  expect(ruleOf(create([user, thinks('rs_1')]))).toBe('openai-responses.reasoning-following');
  expect(ruleOf(create([user, thinks('rs_1'), says('msg_2')]), memory)).toBe('openai-responses.reasoning-following');
  expect(ruleOf(create([user, thinks('rs_1'), says('msg_2')]))).toBeUndefined();
});

test('reasoning that was never stored is refused even when this request is to be stored', () => {
  const body = create([user, thinks('rs_2'), says('msg_2')]);
  expect(ruleOf(body, memory)).toBe('openai-responses.reasoning-not-persisted');
  expect(ruleOf(body)).toBeUndefined();
});

test('under store: false a missing reasoning item is only a warning', () => {
  const body = create([user, call({ id: 'fc_1' }), result()], { store: false });
  expect(judgeCase(judgeOpenAIResponses, body, memory)).toEqual({
    refusal: undefined,
    warnings: ['openai-responses.missing-reasoning'],
  });
});

test('calls of a continued response are answered, and only those', () => {
  const body = (input: unknown[]) => create(input, { previous_response_id: 'resp_1' });
  expect(ruleOf(body([user]), memory)).toBe('openai-responses.call-unanswered');
  expect(ruleOf(body([result({ call_id: 'call_7' }), result()]), memory)).toBe('openai-responses.output-orphan');
});

test('fields of a reply that the request type lacks are suspected, not refused', () => {
  const body = create([
    user,
    { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AA', size: '1x1' },
  ]);
  expect(judgeCase(judgeOpenAIResponses, body).warnings).toEqual(['openai-responses.unknown-item-param']);
});

test('ids with dashes, which Codex gives what it writes itself, are accepted', () => {
  const passthrough = { internal_chat_message_metadata_passthrough: { turn_id: 't' } };
  const body = create([
    { ...user, type: 'message', id: 'msg_73ec8cf2-d158-5d4c', ...passthrough },
    call({ id: 'fc_1', ...passthrough }),
    result({ id: 'fco_73ec8cf2-d158-5d4c', ...passthrough }),
  ]);
  expect(judgeCase(judgeOpenAIResponses, body)).toEqual({ refusal: undefined, warnings: [] });
  expect(ruleOf(create([user, says('msg_73ec8cf2-d158')]))).toBe('openai-responses.id-chars');
});

test('what Codex and the newest SDK send is accepted', () => {
  const body = create([user, { type: 'configuration_update', reasoning: { effort: 'low' } }], {
    client_metadata: { thread_id: 't' },
    prompt_cache_options: { comparison_response_id: 'resp_1', prewarm: true },
    image: { context_compression: 'auto' },
    access_programs: { cyber: 'standard' },
    stream_options: { reasoning_summary_delivery: 'sequential_cutoff' },
    tools: [
      { type: 'function', name: 'f', parameters: {}, async: true },
      { type: 'web_search', external_web_access: true, search_content_types: ['text', 'image'] },
    ],
  });
  expect(judgeCase(judgeOpenAIResponses, body)).toEqual({ refusal: undefined, warnings: [] });
});

test('an asynchronous call may stay unanswered', () => {
  expect(ruleOf(create([user, call(), user]))).toBe('openai-responses.call-unanswered');
  expect(ruleOf(create([user, call({ async: true }), user]))).toBeUndefined();
});

test('an unknown setting is refused only with refuseUnknown', () => {
  const body = create([user], { reasoning: { patience: 'endless' } });
  expect(judgeCase(judgeOpenAIResponses, body)).toEqual({
    refusal: undefined,
    warnings: ['openai-responses.unknown-param'],
  });
  expect(judgeOpenAIResponses({ body: JSON.stringify(body), settings: { refuseUnknown: true } }).refusal?.message).toBe(
    "Unknown parameter: 'reasoning.patience'.",
  );
});

test.each([
  create([{ type: 'constructor' }]),
  create('Hi', { tools: [{ type: 'toString' }] }),
  null,
  [],
  'x',
  7,
  {},
  { model: 'm', input: [null] },
  { model: 4, input: 5 },
  { model: 'm', input: [{ type: 3 }] },
])('a body of no use is refused, not thrown at: %j', (body) => {
  expect(judgeCase(judgeOpenAIResponses, JSON.stringify(body)).refusal?.status).toBe(400);
});
