import { describe, expect, it } from 'vitest';
import type { JudgedRequest, Memory } from '../verdict.ts';
import { type Body, call, hello, memory, model, request, response, says, sibling, text, user } from './cases.ts';
import { judgeGoogleGenerateContent } from './judge.ts';

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
