import { describe, expect, it } from 'vitest';
import { digest } from '../../json/index.ts';
import type { MessageView, Origin } from '../../message/index.ts';
import { ProtocolError } from '../reply.ts';
import { view } from './read-response.ts';

const origin: Origin = { dialect: 'openai-chat', issuer: 'api.openai.com' };
const see = (raw: string, cut = false): MessageView => view(raw, cut ? { ...origin, cut: true } : origin);

describe('roles', () => {
  it.each([
    ['system', 'system'],
    ['developer', 'system'],
    ['user', 'user'],
    ['assistant', 'assistant'],
    ['tool', 'tool'],
    ['function', 'tool'],
    ['critic', 'other'],
  ])('%s is seen as %s', (native, role) => {
    expect(see(`{"role":"${native}","content":"x"}`).role).toBe(role);
  });

  it('says so when the text is no message at all', () => {
    expect(() => see('[]')).toThrow(ProtocolError);
    expect(() => see('{"role":')).toThrow();
  });
});

describe('content', () => {
  it('shows an empty string only when there is nothing else', () => {
    expect(see('{"role":"assistant","content":""}').content).toEqual([{ type: 'text', text: '' }]);
    const call = '{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}';
    expect(see(`{"role":"assistant","content":"","tool_calls":[${call}]}`).content).toHaveLength(1);
  });

  it('reads every kind of part and keeps unknown ones as they are', () => {
    const { content } = see(
      '{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}},' +
        '{"type":"image_url","image_url":{"url":"https://x.test/a.png","detail":"low"}},{"type":"image_url","image_url":"https://x.test/b"},' +
        '{"type":"input_audio","input_audio":{"data":"QQ==","format":"mp3"}},' +
        '{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,QQ=="}},' +
        '{"type":"file","file":{"file_id":"file-1"}},{"type":"document_url","document_url":"https://x.test/d.pdf"},' +
        '{"type":"hologram","n":1.0}]}',
    );
    expect(content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'QUJD' } },
      { type: 'media', mediaType: 'image/*', source: { kind: 'url', url: 'https://x.test/a.png' } },
      { type: 'media', mediaType: 'image/*', source: { kind: 'url', url: 'https://x.test/b' } },
      { type: 'media', mediaType: 'audio/mpeg', source: { kind: 'base64', data: 'QQ==' } },
      { type: 'media', mediaType: 'application/pdf', source: { kind: 'base64', data: 'QQ==' }, name: 'a.pdf' },
      { type: 'media', mediaType: 'application/*', source: { kind: 'file', id: 'file-1' } },
      { type: 'media', mediaType: 'application/*', source: { kind: 'url', url: 'https://x.test/d.pdf' } },
      { type: 'unknown', native: '{"type":"hologram","n":1.0}' },
    ]);
  });

  it('keeps content of an unknown shape', () => {
    const seen = see('{"role":"user","content":{"beam":1.0}}');
    expect(seen).toEqual({ role: 'user', content: [{ type: 'unknown', native: '{"beam":1.0}' }], needs: [] });
  });

  it('puts annotations on the text as citations', () => {
    const note = '{"type":"url_citation","url_citation":{"url":"https://x.test","title":"T","start_index":0}}';
    expect(see(`{"role":"assistant","content":"a","annotations":[${note}]}`).content).toEqual([
      { type: 'text', text: 'a', citations: [{ url: 'https://x.test', title: 'T', native: note }] },
    ]);
    expect(see('{"role":"assistant","content":"a","annotations":[]}').content).toEqual([{ type: 'text', text: 'a' }]);
  });

  it('shows a spoken answer as its sound, and its transcript', () => {
    const spoken = see(
      '{"role":"assistant","content":null,"audio":{"id":"audio_1","data":"UklGRg==","transcript":"Hi"}}',
    );
    expect(spoken.content).toEqual([
      { type: 'media', mediaType: 'audio/wav', source: { kind: 'base64', data: 'UklGRg==' } },
      { type: 'text', text: 'Hi' },
    ]);
    expect(spoken.needs).toEqual([]);
  });

  it.each([
    ['SUQzBA==', 'audio/mpeg', 'SUQzBA=='],
    ['//PkxA==', 'audio/mpeg', '//PkxA=='],
    ['//FMgA==', 'audio/aac', '//FMgA=='],
    ['T2dnUw==', 'audio/ogg', 'T2dnUw=='],
    ['ZkxhQw==', 'audio/flac', 'ZkxhQw=='],
    ['AQIDBA==', 'audio/pcm', 'AQIDBA=='],
    // A stream brings sound in pieces, each of them padded.
    ['AQ==AgM=BA==', 'audio/pcm', 'AQIDBA=='],
    ['no base64=!', 'audio/pcm', 'no base64=!'],
  ])('knows the kind of the sound %s by its first bytes: %s', (data, mediaType, shown) => {
    const { content } = see(`{"role":"assistant","content":null,"audio":{"id":"audio_1","data":"${data}"}}`);
    expect(content).toEqual([{ type: 'media', mediaType, source: { kind: 'base64', data: shown } }]);
  });

  it('shows sound that only its provider holds by its id', () => {
    expect(see('{"role":"assistant","content":null,"audio":{"id":"audio_1"}}').content).toEqual([
      { type: 'media', mediaType: 'audio/*', source: { kind: 'file', id: 'audio_1' } },
    ]);
  });

  it('shows refusals, as a member and as a part', () => {
    expect(see('{"role":"assistant","content":null,"refusal":"No."}').content).toEqual([
      { type: 'refusal', text: 'No.' },
    ]);
    expect(see('{"role":"assistant","content":[{"type":"refusal","refusal":"No."}]}').content).toEqual([
      { type: 'refusal', text: 'No.' },
    ]);
  });
});

describe('thoughts', () => {
  it.each(['reasoning_content', 'reasoning'])('finds them in %s', (name) => {
    expect(see(`{"role":"assistant","${name}":"hm","content":"a"}`).content).toEqual([
      { type: 'reasoning', text: 'hm', redacted: false },
      { type: 'text', text: 'a' },
    ]);
  });

  it('does not show the same thought twice', () => {
    const details = '[{"type":"reasoning.text","text":"hm","signature":"s"},{"type":"reasoning.encrypted","data":"x"}]';
    const seen = see(`{"role":"assistant","content":"a","reasoning":"hm","reasoning_details":${details}}`);
    expect(seen.content).toEqual([
      { type: 'reasoning', text: 'hm', redacted: false },
      { type: 'reasoning', text: '', redacted: true },
      { type: 'text', text: 'a' },
    ]);
    expect(seen.needs).toEqual(['bound']);
    expect(see('{"role":"assistant","content":"a","reasoning":"hm","reasoning_content":"hm"}').content).toHaveLength(2);
  });

  it('shows what is readable beside ciphertext', () => {
    const seen = see(
      '{"role":"assistant","content":"a","reasoning":"hm","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]}',
    );
    expect(seen.content.map((block) => block.type === 'reasoning' && block.text)).toEqual(['hm', '', false]);
  });

  it('reads thinking parts', () => {
    const part = '{"type":"thinking","thinking":[{"type":"text","text":"h"},{"type":"text","text":"m"}],"closed":true}';
    expect(see(`{"role":"assistant","content":[${part},{"type":"text","text":"a"}]}`).content).toEqual([
      { type: 'reasoning', text: 'hm', redacted: false },
      { type: 'text', text: 'a' },
    ]);
  });
});

describe('calls', () => {
  it('keeps integers that a double cannot hold in the raw parameters', () => {
    const raw = String.raw`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"n\": 2512292042121000001}"}}]}`;
    expect(see(raw).content).toMatchObject([{ id: 'c', name: 'f', rawParameters: '{"n": 2512292042121000001}' }]);
  });

  it('gives an id to calls without one, the same each time', () => {
    const raw = '{"role":"assistant","tool_calls":[{"id":"","function":{"name":"f","arguments":""}}]}';
    const id = `skn_${digest(raw).slice(0, 12)}_0`;
    expect(see(raw)).toEqual({
      role: 'assistant',
      content: [{ type: 'tool-use', id, name: 'f', parameters: {}, rawParameters: '' }],
      needs: [],
    });
  });

  it('reads custom tools and older function calls, and keeps other kinds', () => {
    const raw =
      '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"sh","input":"ls \\n"}},' +
      '{"id":"d","type":"telepathy"}],"function_call":{"name":"g","arguments":"{\\"a\\":1}"}}';
    expect(see(raw).content).toMatchObject([
      { id: 'c', name: 'sh', rawParameters: '{"input":"ls \\n"}', parameters: { input: 'ls \n' } },
      { type: 'unknown', native: '{"id":"d","type":"telepathy"}' },
      { name: 'g', parameters: { a: 1 } },
    ]);
  });

  it('ignores members that a provider sends blank', () => {
    const raw =
      '{"role":"assistant","content":"4","refusal":"","function_call":{"name":"","arguments":""},"audio":{"id":"","data":""},"tool_calls":null}';
    expect(see(raw)).toEqual({ role: 'assistant', content: [{ type: 'text', text: '4' }], needs: [] });
  });

  it('reads results, with and without an id', () => {
    expect(see('{"role":"tool","tool_call_id":"c","content":"ok"}').content).toEqual([
      { type: 'tool-result', toolCallId: 'c', content: [{ type: 'text', text: 'ok' }], isError: false },
    ]);
    expect(see('{"role":"function","name":"g","content":"ok"}').content).toMatchObject([{ toolCallId: 'skn_fn_0_g' }]);
  });
});

describe('needs', () => {
  const call = (args: string) =>
    `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}]}`;

  it.each([
    ['{"role":"assistant","content":null}', ['empty']],
    ['{"role":"assistant"}', ['empty']],
    ['{"role":"assistant","content":[{"type":"text","text":""}],"reasoning":"hm"}', ['empty']],
    ['{"role":"assistant","content":"a","tool_calls":[]}', ['empty']],
    ['{"role":"user","content":[]}', ['empty']],
    ['{"role":"user","content":""}', []],
    ['{"role":"assistant","content":null,"refusal":"no"}', []],
    ['{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}', ['cache']],
    ['{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"a","cache_control":{}}]}', ['cache']],
    [call('{"a":'), ['arguments']],
    [call('[1]'), ['arguments']],
    [call(''), []],
  ])('%s needs %j', (raw, needs) => {
    expect(see(raw).needs).toEqual(needs);
  });

  it('takes calls of a cut stream that do not parse as incomplete', () => {
    expect(see(call('{"a":'), true).needs).toEqual(['cut']);
    expect(see(call(''), true).needs).toEqual(['cut']);
    expect(see(call('{}'), true).needs).toEqual([]);
  });
});
