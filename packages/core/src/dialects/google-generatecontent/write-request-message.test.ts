import { describe, expect, it } from 'vitest';
import { assistant, type Message, system, toolResult, user } from '../../message/index.ts';
import { makeDialect } from '../dialect.ts';
import type { ProviderDescriptor } from '../provider.ts';
import type { Target } from '../write/writer.ts';
import { googleGenerateContentSpec as spec } from './index.ts';

const google = makeDialect(spec);
const { writer } = spec;
const target = (model = 'gemini-3-pro-preview', provider: ProviderDescriptor = spec.home): Target => ({
  provider,
  model,
  account: undefined,
  params: {},
});
const own = (raw: string, model = 'gemini-3-pro-preview') => google.parseMessage(raw, { model });
const splice = (message: Message, to = target(), dropBound = false) => writer.splice(message, to, { dropBound });
const translate = (message: Message, to = target(), call?: { id: string; name: string }) =>
  writer.translate(message, to, { find: () => call });
const model = (...parts: string[]) => `{"role":"model","parts":[${parts.join(',')}]}`;
const PLACEHOLDER = '"thoughtSignature":"skip_thought_signature_validator"';

describe('a message of its own', () => {
  it('is sent byte for byte, signatures and unknown parts included', () => {
    const raw =
      ' {"parts": [{"text": "a"}, {"hologram":{}}, {"functionCall":{"name":"f"},"thoughtSignature":"c2ln"}], "role":"model","novel":1}';
    const message = own(raw);
    expect(splice(message)).toEqual([
      {
        role: 'assistant',
        text: raw,
        pieces: [{ start: 0, end: raw.length }],
        calls: message.facts.calls,
        results: [],
        losses: [],
      },
    ]);
  });

  it.each([
    ['{"role":"model"}'],
    ['{}'],
    [model('{}')],
    [model('{"functionCall":{}}')],
    [model('{"functionCall":{"name":"f","willContinue":true}}')],
  ])('leaves nothing to send of %s', (raw) => {
    expect(splice(own(raw))).toEqual([]);
  });

  it('is repaired where it would be refused, and nowhere else', () => {
    const raw = model(
      '{"text": "keep  me"}',
      '{"thoughtSignature":"c2ln"}',
      '{}',
      '{"text":"x","thoughtSignature":""}',
      '{"functionCall":{"name":"f","args":[1]},"thoughtSignature":"c2ln"}',
    );
    const [unit] = splice(own(raw));
    expect(unit?.text).toBe(
      model(
        '{"text": "keep  me"}',
        '{"thoughtSignature":"c2ln","text":""}',
        '{"text":"x"}',
        '{"functionCall":{"name":"f","args":{"_malformed_arguments":"[1]"}},"thoughtSignature":"c2ln"}',
      ),
    );
    expect(unit?.losses.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      'parts[1] empty',
      'parts[2] empty',
      'parts[3] empty',
      'parts[4].functionCall.args malformed-arguments',
    ]);
  });

  it('sends a call that came in pieces as one, and none that was cut', () => {
    const pieces = [
      '{"functionCall":{"name":"f","willContinue":true}}',
      '{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"x"}],"willContinue":true},"thoughtSignature":"c2ln"}',
      '{"functionCall":{}}',
    ];
    const cut = '{"functionCall":{"name":"g","id":"c2","willContinue":true}}';
    const message = own(model('{"text":"a"}', ...pieces, cut));
    const [unit] = splice(message);
    expect(unit?.text).toBe(
      model('{"text":"a"}', '{"functionCall":{"name":"f","args":{"a":"x"}},"thoughtSignature":"c2ln"}'),
    );
    expect(unit?.calls).toEqual([{ id: message.toolUses[0]?.id, name: 'f' }]);
    expect(unit?.losses.map(({ kind, reason }) => `${kind} ${reason}`)).toEqual(['rewritten merged', 'dropped cut']);
  });

  it('answers nothing with a result that names no function', () => {
    const named = '{"functionResponse":{"id":"b","name":"f","response":{}}}';
    const raw = `{"role":"user","parts":[{"functionResponse":{"id":"a","response":{}}},${named}]}`;
    expect(splice(own(raw))).toMatchObject([{ text: `{"role":"user","parts":[${named}]}`, results: ['b'] }]);
  });

  it('gets a placeholder signature when an older model wrote the call and a newer one reads it', () => {
    const raw = model(
      '{"text":"a","thoughtSignature":"c2ln"}',
      '{"functionCall":{"name":"f"}}',
      '{"functionCall":{"name":"g"}}',
    );
    const message = own(raw, 'gemini-2.5-flash');
    const [unit] = splice(message);
    expect(unit?.text).toBe(
      model(
        '{"text":"a","thoughtSignature":"c2ln"}',
        `{"functionCall":{"name":"f"},${PLACEHOLDER}}`,
        '{"functionCall":{"name":"g"}}',
      ),
    );
    expect(unit?.losses).toMatchObject([{ kind: 'synthesised', reason: 'signature-placeholder', path: 'parts[1]' }]);
    expect(splice(message, target('gemini-2.5-pro'))).toMatchObject([{ text: raw, losses: [] }]);
  });

  it('loses its signatures where they are bound elsewhere', () => {
    const raw = model(
      '{"text":"a","thoughtSignature":"c2ln"}',
      '{"thoughtSignature":"c2ln"}',
      '{"thoughtSignature":"c2ln","functionCall":{"name":"f"}}',
    );
    const [unit] = splice(own(raw), target(), true);
    expect(unit?.text).toBe(model('{"text":"a"}', `{${PLACEHOLDER},"functionCall":{"name":"f"}}`));
    expect(unit?.losses.filter(({ reason }) => reason === 'prefix-bound')).toHaveLength(3);
    const policies = { ...spec.home.policies, reasoningBoundTo: { default: ['prefix', 'model'] as const } };
    const strict = { ...spec.home, policies };
    expect(splice(own(raw), target('gemini-3-pro-preview', strict))).toMatchObject([{ bound: true }]);
    expect(splice(own(raw), target('gemini-3-flash', strict))[0]?.losses).toMatchObject([
      { reason: 'model-bound' },
      {},
      {},
      {},
    ]);
  });

  it('goes without the fields that a provider refuses', () => {
    const policies = { ...spec.home.policies, refusedFields: ['novel', 'parts.*.functionCall.extra'] };
    const raw =
      '{"novel":1,"role":"model","parts":[{"text":"novel"},{"functionCall":{"extra":{},"name":"f"},"thoughtSignature":"c2ln"}]}';
    const [unit] = splice(own(raw), target(undefined, { ...spec.home, policies }));
    expect(unit?.text).toBe(
      '{"role":"model","parts":[{"text":"novel"},{"functionCall":{"name":"f"},"thoughtSignature":"c2ln"}]}',
    );
    expect(unit?.losses).toMatchObject([{ reason: 'refused-field' }, { reason: 'refused-field' }]);
  });

  it('is user text when it is a system message inside the conversation', () => {
    const [unit] = splice(own('{"role":"system","content":{"parts":[{"text":"Be brief."}]}}'));
    expect(unit).toMatchObject({ role: 'user', text: '{"role":"user","parts":[{"text":"Be brief."}]}' });
    expect(unit?.losses).toMatchObject([{ reason: 'inline-system' }]);
  });
});

describe('a message of another provider', () => {
  it('never sends foreign reasoning, and signs the first call only', () => {
    const message = assistant([
      { type: 'reasoning', text: 'secret', redacted: false },
      { type: 'text', text: 'ok' },
      { type: 'tool-use', id: 'toolu_1', name: 'f', parameters: {}, rawParameters: '{"n": 2512292042121000001}' },
      { type: 'tool-use', id: 'skn_abc_1', name: '1.bad name', parameters: {}, rawParameters: '{}' },
    ]);
    const [unit] = translate(message);
    expect(unit?.text).toBe(
      model(
        '{"text":"ok"}',
        `{"functionCall":{"id":"toolu_1","name":"f","args":{"n": 2512292042121000001}},${PLACEHOLDER}}`,
        '{"functionCall":{"name":"_1_bad_name_51438d","args":{}}}',
      ),
    );
    expect(unit?.calls).toEqual([
      { id: 'toolu_1', name: 'f' },
      { id: 'skn_abc_1', name: '_1_bad_name_51438d' },
    ]);
    expect(unit?.losses.map(({ reason }) => reason)).toEqual([
      'foreign-reasoning',
      'tool-name',
      'signature-placeholder',
    ]);
    expect(translate(message, target('gemini-2.5-pro'))[0]?.text).not.toContain('thoughtSignature');
  });

  it('answers calls by the id and name they have here', () => {
    const [unit] = translate(toolResult('call_1', 'sunny'), target(), { id: 'call_1', name: 'weather' });
    expect(unit).toMatchObject({
      role: 'tool',
      text: '{"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"weather","response":{"output":"sunny"}}}]}',
      results: ['call_1'],
      losses: [],
    });
    const [failed] = translate(toolResult('x', 'no', { isError: true }));
    expect(failed?.parts).toEqual(['{"functionResponse":{"id":"x","name":"unknown_tool","response":{"error":"no"}}}']);
    expect(writer.result({ id: 'skn_a_0', name: 'f' }, 'none', target())).toMatchObject({
      parts: ['{"functionResponse":{"name":"f","response":{"output":"none"}}}'],
      results: ['skn_a_0'],
    });
  });

  it('sends the media of a result behind it', () => {
    const image = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } } as const;
    const units = translate(toolResult('c', [{ type: 'text', text: 'see' }, image]), target(), { id: 'c', name: 'f' });
    expect(units.map(({ role, parts }) => [role, parts])).toEqual([
      ['tool', ['{"functionResponse":{"id":"c","name":"f","response":{"output":"see"}}}']],
      ['user', [expect.stringContaining('tool call c'), '{"inlineData":{"mimeType":"image/png","data":"AA=="}}']],
    ]);
    expect(units[0]?.losses).toMatchObject([{ kind: 'rewritten', reason: 'unsupported-media' }]);
    const policies = { ...spec.home.policies, media: { user: [], toolResult: ['image/*'] } };
    const [inside] = translate(toolResult('c', [image, image]), target(undefined, { ...spec.home, policies }));
    const { response, parts } = JSON.parse(inside!.parts![0]!).functionResponse;
    expect(response).toEqual({ output: '' });
    expect(parts.map((part: object) => Object.keys(part))).toEqual([['inlineData'], ['inlineData']]);
  });

  it('sends the media it can and says what it cannot', () => {
    const media = (
      mediaType: string,
      source: { kind: 'base64'; data: string } | { kind: 'url'; url: string } | { kind: 'file'; id: string },
    ) => ({ type: 'media', mediaType, source }) as const;
    const [unit] = translate(
      user([
        media('image/png', { kind: 'url', url: 'data:image/jpeg;base64,/9j/' }),
        media('image/*', { kind: 'url', url: 'https://example.com/a' }),
        media('application/pdf', { kind: 'file', id: 'https://generativelanguage.googleapis.com/v1beta/files/a' }),
        media('application/pdf', { kind: 'file', id: 'file-123' }),
        media('application/zip', { kind: 'base64', data: 'AA==' }),
        media('image/*', { kind: 'base64', data: 'AA==' }),
      ]),
    );
    expect(unit?.parts).toEqual([
      '{"inlineData":{"mimeType":"image/jpeg","data":"/9j/"}}',
      '{"fileData":{"fileUri":"https://example.com/a"}}',
      '{"fileData":{"mimeType":"application/pdf","fileUri":"https://generativelanguage.googleapis.com/v1beta/files/a"}}',
    ]);
    expect(unit?.losses.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      'content[3] unsupported-media',
      'content[4] unsupported-media',
      'content[5] unsupported-media',
    ]);
  });

  it('tells server tools from unknown blocks, and drops what nobody here can read', () => {
    const message = assistant([
      { type: 'text', text: 'a', citations: [{ native: '{}' }] },
      { type: 'unknown', native: '{"type":"server_tool_use","id":"x"}' },
      { type: 'unknown', native: '{"type":"hologram"}' },
      { type: 'text', text: '' },
    ]);
    const [unit] = translate(message);
    expect(unit?.text).toBe(model('{"text":"a"}'));
    expect(unit?.losses.map(({ reason }) => reason)).toEqual(['citations', 'server-tool', 'unknown-block', 'empty']);
    expect(translate(assistant(''))).toEqual([]);
    const [nothing] = translate(assistant([{ type: 'reasoning', text: 'x', redacted: false }]));
    expect([nothing?.text, nothing?.losses[0]?.reason]).toEqual(['', 'foreign-reasoning']);
  });

  it('says so when signatures of another deployment are left out', () => {
    const vertex = google.parseMessage(model('{"text":"a","thoughtSignature":"c2ln"}'), { issuer: 'vertex.example' });
    expect(translate(vertex)).toMatchObject([
      { text: model('{"text":"a"}'), losses: [{ kind: 'dropped', reason: 'foreign-reasoning' }] },
    ]);
  });

  it('becomes user text when it is a system message', () => {
    expect(translate(system('Be brief.'))).toMatchObject([{ role: 'user', losses: [{ reason: 'inline-system' }] }]);
  });
});

describe('gather', () => {
  it('puts the results of a turn into one content, native ones with their exact text', () => {
    const native = '{"functionResponse":{"name":"f","response":{"n": 1.0}}}';
    const [first] = splice(own(`{"parts":[${native}],"role":"user"}`));
    const [second] = translate(toolResult('c', 'x'), target(), { id: 'c', name: 'g' });
    expect(writer.merge([first!, second!])).toMatchObject({
      role: 'tool',
      text: `{"role":"user","parts":[${native},{"functionResponse":{"id":"c","name":"g","response":{"output":"x"}}}]}`,
      results: ['skn_fn_0_f', 'c'],
    });
    const [novel] = splice(own(`{"parts":[${native}],"role":"user","novel":1}`));
    expect(writer.merge([novel!, second!])).toBeUndefined();
  });

  it('takes results apart without rewriting their responses', () => {
    const parts = ['{"functionResponse":{"id":"a","name":"f","response":{"n": 1.0}}}', '{"text":"And?"}'];
    const units = translate(own(`{"role":"user","parts":[${parts.join(',')}]}`), target(), { id: 'a', name: 'f' });
    expect(units.map(({ role, text }) => [role, text])).toEqual([
      ['tool', `{"role":"user","parts":[${parts[0]}]}`],
      ['user', `{"role":"user","parts":[${parts[1]}]}`],
    ]);
  });
});
