import { describe, expect, it } from 'vitest';
import { digest } from '../../json/index.ts';
import type { Origin } from '../../message/index.ts';
import { ProtocolError } from '../reply.ts';
import { view } from './read-response.ts';

const origin: Origin = { dialect: 'google-generatecontent', issuer: 'generativelanguage.googleapis.com' };
const see = (raw: string) => view(raw, origin);

describe('parts', () => {
  it('joins texts that a stream cut apart, a signature on an empty text included', () => {
    const raw =
      '{"parts":[{"text":"Let me ","thought":true},{"text":"see.","thought":true},{"text":"Pa"},{"text":"ris"},{"text":"","thoughtSignature":"c2ln"}],"role":"model"}';
    expect(see(raw)).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Let me see.', redacted: false },
        { type: 'text', text: 'Paris' },
      ],
      needs: ['bound'],
    });
  });

  it('reads snake_case as well as camelCase', () => {
    const raw =
      '{"role":"model","parts":[{"function_call":{"name":"f","args":{"n":2512292042121000001}},"thought_signature":"c2ln"},{"inline_data":{"mime_type":"image/png","data":"_-8"}}]}';
    const { content, needs } = see(raw);
    expect(content).toMatchObject([
      { type: 'tool-use', name: 'f', rawParameters: '{"n":2512292042121000001}' },
      { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: '/+8=' } },
    ]);
    expect(needs).toEqual(['bound']);
  });

  it('shows server-side work and unknown parts as they are', () => {
    const parts = [
      '{"executableCode":{"language":"PYTHON","code":"1"}}',
      '{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}',
      '{"toolCall":{"toolType":"FILE_SEARCH","id":"x"}}',
      '{"hologram": {"big": 1e400}}',
      '7',
    ];
    const { content, needs } = see(`{"role":"model","parts":[${parts.join(' , ')}]}`);
    expect(content).toEqual(parts.map((native) => ({ type: 'unknown', native })));
    expect(needs).toEqual([]);
  });

  it('tells files of the issuer from addresses anyone can read', () => {
    const uris = ['https://generativelanguage.googleapis.com/v1beta/files/abc', 'gs://bucket/a', 'https://youtu.be/x'];
    const raw = `{"role":"user","parts":[${uris.map((uri) => `{"fileData":{"fileUri":"${uri}"}}`).join(',')}]}`;
    expect(see(raw).content).toMatchObject([
      { source: { kind: 'file', id: uris[0] } },
      { source: { kind: 'url', url: uris[1] } },
      { source: { kind: 'url', url: uris[2] }, mediaType: 'video/*' },
    ]);
  });
});

describe('calls and results', () => {
  it('gives calls and results without ids ids of the view only', () => {
    const raw =
      '{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"id":"x1","name":"g","args":{}}}]}';
    const made = `skn_${digest(raw).slice(0, 12)}_0`;
    expect(see(raw).content).toMatchObject([
      { id: made, parameters: {}, rawParameters: '{}' },
      { id: 'x1', name: 'g' },
    ]);
    const results =
      '{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"one"}}},{"functionResponse":{"name":"f","response":{"error":"no"}}},{"functionResponse":{"id":"x1","name":"g","response":{"n": 1.0}}}]}';
    expect(see(results)).toEqual({
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'skn_fn_0_f', content: [{ type: 'text', text: 'one' }], isError: false },
        { type: 'tool-result', toolCallId: 'skn_fn_1_f', content: [{ type: 'text', text: 'no' }], isError: true },
        { type: 'tool-result', toolCallId: 'x1', content: [{ type: 'text', text: '{"n": 1.0}' }], isError: false },
      ],
      needs: [],
    });
  });

  it('shows the media that a result carries', () => {
    const raw =
      '{"role":"user","parts":[{"functionResponse":{"name":"f","response":{},"parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}},{"text":"See."}]}';
    expect(see(raw)).toMatchObject({
      role: 'user',
      content: [{ type: 'tool-result', content: [{ type: 'media', mediaType: 'image/png' }] }, { type: 'text' }],
    });
  });

  it('makes one call of streamed pieces', () => {
    const parts = [
      '{"functionCall":{"name":"cook","willContinue":true},"thoughtSignature":"c2ln"}',
      '{"functionCall":{"partialArgs":[{"jsonPath":"$.steps[0].text","stringValue":"Boil \\"it\\"","willContinue":true}],"willContinue":true}}',
      '{"functionCall":{"partialArgs":[{"jsonPath":"$.steps[0].text","stringValue":" well"},{"jsonPath":"$.n","numberValue":2512292042121000001}],"willContinue":true}}',
      '{"functionCall":{"partialArgs":[{"jsonPath":"$[\'a b\']","boolValue":true},{"jsonPath":"$.none","nullValue":"NULL_VALUE"}],"willContinue":true}}',
      '{"functionCall":{}}',
    ];
    const whole = see(`{"role":"model","parts":[${parts.join(',')}]}`);
    expect(whole.content).toMatchObject([
      {
        type: 'tool-use',
        name: 'cook',
        rawParameters: '{"steps":[{"text":"Boil \\"it\\" well"}],"n":2512292042121000001,"a b":true,"none":null}',
      },
    ]);
    expect(whole.needs).toEqual(['arguments', 'bound']);
    const cut = see(`{"role":"model","parts":[${parts.slice(0, 3).join(',')}]}`);
    expect(cut.needs).toEqual(['arguments', 'cut', 'bound']);
  });

  it('keeps pieces that fit nowhere readable', () => {
    for (const path of ['$.a[7]', 'a', '$', '$.a..b', '$[0]']) {
      const piece = `{"jsonPath":"${path}","stringValue":"x"}`;
      const raw = `{"role":"model","parts":[{"functionCall":{"name":"f","partialArgs":[${piece}]}}]}`;
      expect(see(raw)).toMatchObject({ content: [{ rawParameters: `[${piece}]` }], needs: ['arguments'] });
    }
  });
});

describe('roles and needs', () => {
  it.each([
    ['{"parts":[{"text":"x"}]}', 'user', []],
    ['{"role":"function","parts":[{"functionResponse":{"name":"f","response":{}}}]}', 'tool', []],
    ['{"role":"narrator","parts":[{"text":"x"}]}', 'other', []],
    ['{"role":"system","content":{"parts":[{"text":"x"}]}}', 'system', []],
    ['{"role":"system","content":"x"}', 'system', []],
    ['{}', 'assistant', ['empty']],
    ['{"role":"model"}', 'assistant', ['empty']],
    ['{"role":"model","parts":[{"text":""}]}', 'assistant', []],
    ['{"role":"model","parts":[{"thoughtSignature":"c2ln"}]}', 'assistant', ['empty', 'bound']],
    ['{"role":"model","parts":[{"functionCall":{"args":{}}}]}', 'assistant', ['empty']],
    ['{"role":"model","parts":[{"text":"x","thoughtSignature":""}]}', 'assistant', ['empty']],
    ['{"role":"model","parts":[{"functionCall":{"name":"f","args":"x"}}]}', 'assistant', ['arguments']],
  ])('%s', (raw, role, needs) => {
    expect(see(raw)).toMatchObject({ role, needs });
  });

  it('refuses only what is no object', () => {
    expect(() => see('[]')).toThrow(ProtocolError);
  });
});
