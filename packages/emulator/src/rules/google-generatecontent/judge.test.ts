import { describe, expect, it } from 'vitest';
import type { JudgedRequest, Memory } from '../verdict.ts';
import { googleGenerateContentRules, judgeGoogleGenerateContent } from './judge.ts';
import {
  type Body,
  call,
  hello,
  memory,
  model,
  request,
  response,
  says,
  sibling,
  text,
  user,
} from './test-requests.ts';

interface Case {
  readonly good: Body | JudgedRequest;
  readonly bad: Body | JudgedRequest;
  readonly message: string | RegExp;
  readonly status?: number;
  /** Broken, but only a warning. */
  readonly unsure?: boolean;
}

const COUNT =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';

const cases: Readonly<Record<string, Case>> = {
  json: {
    good: says(hello),
    bad: { body: '{"contents":' },
    message: /^Invalid JSON payload received\. /,
  },
  auth: {
    good: request(says(hello), { headers: { 'x-goog-api-key': 'k' } }),
    bad: request(says(hello), { headers: {} }),
    status: 403,
    message: /^Method doesn't allow unregistered callers/,
  },
  'unknown-field': {
    good: {
      contents: [{ role: 'user', parts: [{ inline_data: { mime_type: 'a/b', data: '' } }] }],
      generation_config: {},
    },
    bad: { contents: [{ parts: { text: 'hello', role: 'user' } }] },
    message: `Invalid JSON payload received. Unknown name "role" at 'contents[0].parts': Cannot find field.`,
  },
  'system-type': {
    good: { ...says(hello), systemInstruction: { parts: [text('be kind')] } },
    bad: { ...says(hello), systemInstruction: 'be kind' },
    message: /^Invalid value at 'system_instruction' \(.*Content\), "be kind"$/,
  },
  struct: {
    good: says(hello, model(call('f')), user(response('f', { response: { result: 'text' } }))),
    bad: says(hello, model(call('f')), user(response('f', { response: 'text' }))),
    message: `Invalid value at 'contents[2].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct), "text"`,
  },
  'sig-base64': {
    good: says(hello, model(call('f', { thoughtSignature: 'a-_b' })), user(response('f'))),
    bad: says(hello, model(call('f', { thoughtSignature: 'not base64!' })), user(response('f'))),
    message: `Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for "not base64!"`,
  },
  'oneof-many': {
    good: says(user(text('a'), { fileData: { fileUri: 'x' } })),
    bad: says(user({ text: 'a', fileData: { fileUri: 'x' } })),
    message: `Invalid value at 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'fileData'`,
  },
  type: {
    good: { ...says(hello), generationConfig: { temperature: '0.5' } },
    bad: says(user({ text: 5 })),
    message: `Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5`,
  },
  'no-contents': {
    good: says(hello),
    bad: says(),
    message: '* GenerateContentRequest.contents: contents is not specified\n',
  },
  'parts-empty': {
    good: says(user(text(''))),
    bad: says(hello, model(), hello),
    message: '* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n',
  },
  'oneof-none': {
    good: says(user({ videoMetadata: { fps: 1 } })),
    bad: says(hello, model({ thought: true, thoughtSignature: 'c2ln' }), hello),
    message:
      "* GenerateContentRequest.contents[1].parts[0].data: required oneof field 'data' must have one initialized field\n",
  },
  role: {
    good: says({ parts: [text('hello')] }),
    bad: says({ role: 'system', parts: [text('hello')] }),
    message: 'Please use a valid role: user, model.',
  },
  'role-function': {
    good: says(hello, model(call('f')), user(response('f'))),
    bad: says(hello, model(call('f')), { role: 'function', parts: [response('f')] }),
    unsure: true,
    message: '',
  },
  'name-empty': {
    good: says(hello, model(call('f')), user(response('f'))),
    bad: says(hello, model(call('f')), user(response(''))),
    message: '* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n',
  },
  'call-first': {
    good: says(model(text('hi')), hello),
    bad: says(model(call('f')), user(response('f'))),
    message:
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  },
  'response-orphan': {
    good: says(hello, model(call('f')), user(response('f'))),
    bad: says(hello, model(text('hi')), user(response('f'))),
    message: 'Please ensure that function response turn comes immediately after a function call turn.',
  },
  count: {
    good: says(hello, model(call('f')), model(sibling('g')), user(response('f'), response('g'), text('and?'))),
    bad: says(hello, model(call('f'), sibling('g')), user(response('f'))),
    message: COUNT,
  },
  'name-mismatch': {
    good: says(hello, model(call('f'), sibling('g')), user(response('f'), response('g'))),
    bad: says(hello, model(call('f')), user(response('h'))),
    unsure: true,
    message: '',
  },
  'response-order': {
    good: says(hello, model(call('f'), sibling('g')), user(response('f'), response('g'))),
    bad: says(hello, model(call('f'), sibling('g')), user(response('g'), response('f'))),
    unsure: true,
    message: '',
  },
  'id-mismatch': {
    good: says(hello, model(call('f', { functionCall: { name: 'f', id: 'a' } })), user(response('f', { id: 'a' }))),
    bad: says(hello, model(call('f', { functionCall: { name: 'f', id: 'a' } })), user(response('f', { id: 'b' }))),
    unsure: true,
    message: '',
  },
  'sig-empty': {
    good: says(hello, model(text('hi')), hello),
    bad: says(hello, model({ text: 'hi', thoughtSignature: '' }), hello),
    message: 'Corrupted thought signature.',
  },
  'sig-missing': {
    good: says(
      hello,
      model(sibling('old')),
      user(response('old')),
      hello,
      model(call('f'), sibling('g')),
      user(response('f'), response('g')),
    ),
    bad: says(hello, model(call('f')), user(response('f')), model(sibling('g')), user(response('g'))),
    message: /^Function call is missing a thought_signature in functionCall parts\..* `default_api:g` , position 4\. /,
  },
  'sig-corrupt': {
    good: request(says(hello, model(call('f')), user(response('f'))), { memory }),
    bad: request(says(hello, model(call('f', { thoughtSignature: 'b3RoZXI=' })), user(response('f'))), { memory }),
    message: 'Corrupted thought signature.',
  },
  'sig-moved': {
    good: request(says(hello, model(call('f')), user(response('f'))), { memory }),
    bad: request(says(hello, model(call('g')), user(response('g'))), { memory }),
    unsure: true,
    message: '',
  },
  'model-tail': {
    good: request(says(hello, model(text('hi'))), { model: 'gemini-3-flash-preview' }),
    bad: request(says(hello, model(text('hi'))), { model: 'gemini-3.6-flash' }),
    message: 'Requests ending with a model turn are not supported.',
  },
};

describe('Gemini request rules', () => {
  it('has a case for every rule', () => {
    expect(Object.keys(cases).sort()).toEqual([...googleGenerateContentRules].sort());
  });

  it.each(Object.entries(cases))('%s', (id, { good, bad, message, status = 400, unsure }) => {
    expect(judgeGoogleGenerateContent(request(good))).toEqual({ refusal: undefined, warnings: [] });
    const { refusal, warnings } = judgeGoogleGenerateContent(request(bad));
    if (unsure) {
      expect({ refusal, warnings }).toEqual({ refusal: undefined, warnings: [`google-generatecontent.${id}`] });
      return;
    }
    expect(refusal).toMatchObject({ rule: `google-generatecontent.${id}`, status });
    if (typeof message === 'string') expect(refusal?.message).toBe(message);
    else expect(refusal?.message).toMatch(message);
    expect(JSON.parse(refusal?.body ?? '')).toMatchObject({ error: { code: status, message: refusal?.message } });
  });
});

describe('Gemini details', () => {
  const refused = (body: Body, more: Partial<JudgedRequest> = {}) =>
    judgeGoogleGenerateContent(request(body, more)).refusal?.rule;
  const unsigned = says(hello, model(sibling('f')), user(response('f')));

  it('takes the documented dummies for foreign tool calls, raw and as base64', () => {
    for (const dummy of ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']) {
      for (const thoughtSignature of [dummy, Buffer.from(dummy).toString('base64')]) {
        const body = says(hello, model(call('f', { thoughtSignature })), user(response('f')));
        expect(refused(body, { memory })).toBeUndefined();
      }
    }
  });

  it('takes the signature that LangChain sends with every call', () => {
    const constant = call('f', { thoughtSignature: 'ErYCCrMCAdHtim9kOoOkrPiCNVsmlpMIKd7ZMxgi' });
    expect(refused(says(hello, model(constant), user(response('f'))), { memory })).toBeUndefined();
  });

  it('demands signatures by model', () => {
    const answer = (name: string) => refused(unsigned, { model: name });
    expect(answer('gemini-2.5-pro')).toBeUndefined();
    expect(answer('gemini-3-pro-image-preview')).toBeUndefined();
    expect(answer('gemini-3.5-flash')).toBe('google-generatecontent.sig-missing');
    expect(answer('some-model-of-2028')).toBe('google-generatecontent.sig-missing');
  });

  it('refuses a model tail by model', () => {
    const tail = (name: string) => refused(says(hello, model(text('hi'))), { model: name });
    expect(tail('gemini-3.5-flash')).toBeUndefined();
    expect(tail('gemini-3.5-flash-lite')).toBe('google-generatecontent.model-tail');
    expect(tail('gemini-3.10-pro')).toBe('google-generatecontent.model-tail');
  });

  it('knows a signature in the other base64 alphabet', () => {
    const urlSafe: Memory = { ...memory, issued: (value) => (value === '+/+/' ? { model: 'm' } : undefined) };
    const body = says(hello, model(call('f', { thoughtSignature: '-_-_' })), user(response('f')));
    expect(refused(body, { memory: urlSafe })).toBeUndefined();
  });

  it('lets its own unknown fields back in, unless told otherwise', () => {
    const body = says(hello, model(call('f', { functionCall: { name: 'f', mood: 1 } })), user(response('f')));
    expect(refused(body)).toBe('google-generatecontent.unknown-field');
    expect(refused(body, { memory })).toBeUndefined();
    expect(refused(body, { memory, settings: { refuseOwnFields: true } })).toBe('google-generatecontent.unknown-field');
  });

  it('names every unknown field in the details', () => {
    const { refusal } = judgeGoogleGenerateContent(request({ ...says(user({ text: 'a', b: 1 })), c: 2 }));
    expect(JSON.parse(refusal?.body ?? '').error.details[0].fieldViolations).toEqual([
      expect.objectContaining({ field: 'contents[0].parts[0]' }),
      { description: 'Invalid JSON payload received. Unknown name "c": Cannot find field.' },
    ]);
  });

  it('takes the text that a transcription follows', () => {
    const config = (given: Body) => ({ ...says(hello), generationConfig: { audioTranscriptionConfig: given } });
    expect(refused(config({ languageCodes: ['en-US'], sourceText: 'Hello' }))).toBeUndefined();
    expect(refused(config({ sourceTexts: ['Hello'] }))).toBe('google-generatecontent.unknown-field');
  });

  it('refuses a call that is followed by plain text', () => {
    expect(refused(says(hello, model(call('f')), hello))).toBe('google-generatecontent.count');
  });

  it('takes a single tool in place of a list, and refuses JSON Schema words in a Schema', () => {
    const tools = (parameters: Body) => ({
      ...says(hello),
      tools: { function_declarations: [{ name: 'f', parameters }] },
    });
    expect(refused(tools({ type: 'object', properties: { $x: { type: 'string' } } }))).toBeUndefined();
    expect(refused(tools({ type: 'object', $schema: 'x' }))).toBe('google-generatecontent.unknown-field');
  });
});
