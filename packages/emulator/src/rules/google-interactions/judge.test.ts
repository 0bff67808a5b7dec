import { describe, expect, it } from 'vitest';
import { googleInteractionsRules, judgeGoogleInteractions } from './judge.ts';

type Body = Readonly<Record<string, unknown>>;

interface Case {
  readonly good: Body;
  readonly bad: Body | string;
  readonly message: string;
  readonly status?: number;
  /** Broken, but only a warning. */
  readonly unsure?: boolean;
}

const model = 'gemini-3.6-flash';
const text = (said: string) => ({ type: 'text', text: said });
const user = (...content: readonly object[]) => ({ type: 'user_input', content });
const hello = user(text('Hello'));
const call = (id: string, more: object = {}) => ({ type: 'function_call', id, name: 'f', arguments: {}, ...more });
const result = (id: string, more: object = {}) => ({ type: 'function_result', call_id: id, result: 'x', ...more });
const says = (...input: readonly object[]): Body => ({ model, input });
const INVALID = 'Request contains an invalid argument.';

const memory = {
  issued: (value: string) => (value === 'c2ln' ? {} : undefined),
  stored: (id: string) => id === 'v1_kept' || id === 'v1_named',
  ownField: (path: string) => path === 'thought.x_own',
  openCalls: (id: string) => (id === 'v1_kept' ? ['k1'] : undefined),
};

const judge = (body: Body | string) =>
  judgeGoogleInteractions({ body: typeof body === 'string' ? body : JSON.stringify(body), memory });

const cases: Readonly<Record<string, Case>> = {
  json: { good: says(hello), bad: '{"model":', message: 'Invalid JSON payload received.' },
  type: { good: { model, input: 'Hi' }, bad: { model, input: 5 }, message: "Invalid value at 'input'." },
  'step-type': { good: says(hello), bad: says(hello, { type: 'odd' }), message: "Unknown step type 'odd'." },
  'content-type': {
    good: says(user(text('Hi'), { type: 'image', data: 'eA==', mime_type: 'image/png' })),
    bad: says(user({ type: 'input_text', text: 'Hi' })),
    message: "Unknown content type 'input_text'.",
  },
  'tool-type': {
    good: { ...says(hello), tools: [{ type: 'function', name: 'f' }] },
    bad: { ...says(hello), tools: [{ type: 'custom', name: 'f' }] },
    message: "Unknown tool type 'custom'.",
  },
  required: {
    good: says(hello, call('c1'), result('c1')),
    bad: says(hello, call('c1'), { type: 'function_result', call_id: 'c1' }),
    message: 'input[2].result is required.',
  },
  'unknown-field': {
    good: says(hello, { type: 'thought', signature: 'c2ln', x_own: 1 }, user(text('And?'))),
    bad: { ...says(hello), mood: 'good' },
    message: '',
    unsure: true,
  },
  'model-or-agent': {
    good: { agent: 'deep-research-preview-04-2026', input: 'Hi', background: true },
    bad: { model, agent: 'deep-research-preview-04-2026', input: 'Hi' },
    message: 'Exactly one of model and agent must be set.',
  },
  'input-required': {
    good: { model, continuation_token: 'c2ln', previous_interaction_id: 'v1_named' },
    bad: { model, input: [] },
    message: 'input must not be empty.',
  },
  'continuation-token': {
    good: { model, continuation_token: 'c2ln', input: 'Hi' },
    bad: { model, continuation_token: 'b3RoZXI=', input: 'Hi' },
    message: INVALID,
  },
  'background-store': {
    good: { model, input: 'Hi', background: true },
    bad: { model, input: 'Hi', background: true, store: false },
    message: 'background requires store to be true.',
  },
  'call-name': {
    good: says(hello, call('c1'), result('c1')),
    bad: says(hello, call('c1', { name: '' }), result('c1')),
    message: 'function_call requires id and name.',
  },
  arguments: {
    good: says(hello, call('c1', { arguments: { a: 1 } }), result('c1')),
    bad: says(hello, call('c1', { arguments: '{}' }), result('c1')),
    message: 'function_call.arguments must be an object.',
  },
  'result-type': {
    good: says(hello, call('c1'), result('c1', { result: [text('x')] })),
    bad: says(hello, call('c1'), result('c1', { result: 5 })),
    message: 'function_result.result must be a string, an object or a list of contents.',
  },
  'media-source': {
    good: says(user({ type: 'image', uri: 'https://example.com/a.png' })),
    bad: says(user({ type: 'image', mime_type: 'image/png' })),
    message: 'image requires data or uri.',
  },
  'input-empty': { good: says(hello), bad: says(hello, user()), message: '', unsure: true },
  'signature-empty': {
    good: says(hello, { type: 'thought', signature: 'c2ln' }, hello),
    bad: says(hello, { type: 'thought', signature: '' }, hello),
    message: INVALID,
  },
  'signature-corrupt': {
    good: says(hello, { type: 'thought', signature: 'c2ln' }, hello),
    bad: says(hello, { type: 'thought', signature: 'b3RoZXI=' }, hello),
    message: INVALID,
  },
  'previous-not-found': {
    good: { model, previous_interaction_id: 'v1_kept', input: [result('k1')] },
    bad: { model, previous_interaction_id: 'v1_gone', input: 'Hi' },
    message: "Interaction with id 'v1_gone' was not found.",
    status: 404,
  },
  'result-orphan': {
    good: { model, previous_interaction_id: 'v1_kept', input: [user(result('k1'))] },
    bad: says(hello, result('c1')),
    message: "function_result refers to the unknown call 'c1'.",
  },
  'result-repeated': {
    good: says(hello, call('c1'), result('c1'), call('c1'), result('c1')),
    bad: says(hello, call('c1'), result('c1'), result('c1')),
    message: "The call 'c1' has more than one function_result.",
  },
  'call-unanswered': {
    good: says(hello, call('c1'), call('c2'), user(result('c2'), result('c1'), text('So?'))),
    bad: says(hello, call('c1'), call('c2'), result('c1'), hello),
    message: "The call 'c2' has no function_result.",
  },
  'model-tail': {
    good: says(hello),
    bad: says(hello, { type: 'model_output', content: [text('Well')] }),
    message: '',
    unsure: true,
  },
};

describe('every rule of Interactions', () => {
  it('has a case', () => {
    expect(Object.keys(cases).sort()).toEqual([...googleInteractionsRules].sort());
  });

  it.each(Object.entries(cases))('%s', (id, { good, bad, message, status = 400, unsure }) => {
    expect(judge(good).refusal).toBeUndefined();
    const { refusal, warnings } = judge(bad);
    if (unsure) {
      expect(refusal).toBeUndefined();
      expect(warnings).toContain(`google-interactions.${id}`);
      expect(judge(good).warnings).not.toContain(`google-interactions.${id}`);
      return;
    }
    expect(refusal).toMatchObject({ rule: `google-interactions.${id}`, status, message });
    const { error } = JSON.parse(refusal!.body);
    expect(error).toEqual({ message: refusal!.message, code: status === 404 ? 'not_found' : 'invalid_request' });
  });
});

it('a kept interaction whose call has no result is not continued by a text', () => {
  const body = { model, previous_interaction_id: 'v1_kept', input: 'Never mind' };
  expect(judge(body).refusal?.rule).toBe('google-interactions.call-unanswered');
});

it('unknown members are refused where that is asked for', () => {
  const body = JSON.stringify({ ...says(hello), mood: 'good' });
  const { refusal } = judgeGoogleInteractions({ body, settings: { refuseUnknown: true } });
  expect(refusal).toMatchObject({ rule: 'google-interactions.unknown-field', message: 'Unknown name "mood".' });
});

it.each([
  user(),
  { type: 'user_input' },
  { type: 'google_maps_call', id: 'm1' },
  { type: 'retrieval_result', call_id: 'r1' },
])('what the types of the SDK leave out may be missing: %j', (step) => {
  expect(judge(says(hello, step, hello)).refusal).toBeUndefined();
});
