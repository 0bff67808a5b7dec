import { describe, expect, it } from 'vitest';
import type { Origin } from '../../message/index.ts';
import { ProtocolError } from '../reply.ts';
import { view as viewItems } from './read-response.ts';

const origin: Origin = { dialect: 'openai-responses', issuer: 'api.openai.com/responses' };
const view = (raw: string, more: Partial<Origin> = {}) => viewItems(raw, { ...origin, ...more });

const sealed = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c1"}';
const said =
  '{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]}';
const call =
  '{"type":"function_call","id":"fc_1","call_id":"call_1","name":"look","arguments":"{\\"n\\":2512292042121000001}","status":"completed"}';

describe('the view of a turn', () => {
  it('shows items in their order, arguments exactly as the model wrote them', () => {
    const { role, content, needs } = view(`[${sealed},${said},${call}]`);
    expect(role).toBe('assistant');
    expect(content).toMatchObject([
      { type: 'reasoning', text: '', redacted: true },
      { type: 'text', text: 'Hi' },
      { type: 'tool-use', id: 'call_1', name: 'look', rawParameters: '{"n":2512292042121000001}' },
    ]);
    expect(needs).toEqual(['bound']);
  });

  it('joins summaries and thoughts, and takes neither for ciphertext', () => {
    const item =
      '{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"content":[{"type":"reasoning_text","text":"c"}],"encrypted_content":"x"}';
    expect(view(`[${item},${said}]`).content[0]).toEqual({ type: 'reasoning', text: 'a\n\nb\n\nc', redacted: false });
  });

  it('shows sources and refusals', () => {
    const annotation = '{"type":"url_citation","url":"https://a.example","title":"A","start_index":0,"end_index":2.0}';
    const item = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x","annotations":[${annotation}]},{"type":"refusal","refusal":"no"}]}`;
    expect(view(`[${item}]`).content).toEqual([
      { type: 'text', text: 'x', citations: [{ url: 'https://a.example', title: 'A', native: annotation }] },
      { type: 'refusal', text: 'no' },
    ]);
  });

  it('keeps what it does not know as it is written', () => {
    const items = ['{"type":"web_search_call", "id":"ws_1"}', '{"type":"new_in_2030","n":1.0}', '7'];
    expect(view(`[${items.join(',')}]`).content).toEqual(items.map((native) => ({ type: 'unknown', native })));
    const part = '{"type":"output_smell","v":1.0}';
    expect(view(`[{"type":"message","role":"assistant","content":[${part}]}]`).content).toEqual([
      { type: 'unknown', native: part },
    ]);
  });

  it('does not put words of the user into the mouth of the model', () => {
    const native = '{"type":"message","role":"user","content":[{"type":"input_text","text":"me"}]}';
    expect(view(`[${native}]`).content).toEqual([{ type: 'unknown', native }]);
  });

  it('shows a custom call with its text as the one argument', () => {
    const item = '{"type":"custom_tool_call","id":"ctc_1","call_id":"call_2","name":"sh","input":"ls \\u002d\\n"}';
    expect(view(`[${item}]`).content).toMatchObject([
      {
        type: 'tool-use',
        id: 'call_2',
        name: 'sh',
        rawParameters: '{"input":"ls \\u002d\\n"}',
        parameters: { input: 'ls -\n' },
      },
    ]);
  });

  it('gives a call without an id one that is always the same', () => {
    const raw = '[{"type":"function_call","name":"f","arguments":""}]';
    const [block] = view(raw).content;
    expect(block).toMatchObject({ type: 'tool-use', rawParameters: '', parameters: {} });
    expect(block).toEqual(view(raw).content[0]);
    expect(block?.type === 'tool-use' && block.id).toMatch(/^skn_[0-9a-f]{12}_0$/);
  });

  it('throws only for what is no item at all', () => {
    expect(() => view('"text"')).toThrow(ProtocolError);
    expect(view('{}')).toMatchObject({ role: 'other' });
  });
});

describe('what a turn needs', () => {
  const open =
    '{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{\\"a","status":"in_progress"}';

  it('is nothing for a plain answer', () => {
    expect(view(`[${said}]`).needs).toEqual([]);
    expect(view(`[${said}]`, { cut: true }).needs).toEqual([]);
  });

  it('is said for empty turns, malformed arguments and whatever a cut left open', () => {
    expect(view('[]').needs).toEqual(['empty']);
    expect(view(`[${said.replace('Hi', '')}]`).needs).toEqual(['empty']);
    expect(view(`[${open}]`).needs).toEqual(['arguments']);
    expect(view(`[${open}]`, { cut: true }).needs).toEqual(['arguments', 'cut']);
  });

  it('does not take a call in progress for incomplete unless the stream was cut', () => {
    const item = call.replace('completed', 'in_progress');
    expect(view(`[${item}]`).needs).toEqual([]);
    expect(view(`[${item}]`, { cut: true }).needs).toEqual(['cut']);
  });

  it('says that reasoning without anything behind it cannot be sent', () => {
    expect(view(`[${said},${sealed}]`).needs).toEqual(['cut', 'bound']);
  });
});

describe("the view of a client's item", () => {
  it('reads roles, strings and parts', () => {
    expect(view('{"role":"user","content":"hi"}')).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: 'hi' }],
    });
    expect(view('{"role":"developer","content":"be kind"}').role).toBe('system');
    const parts =
      '[{"type":"input_text","text":"t"},{"type":"input_image","image_url":"data:image/png;base64,AA=="},{"type":"input_file","filename":"a.pdf","file_id":"file-1"},{"type":"input_file","file_url":"https://a.example/b.pdf"}]';
    expect(view(`{"type":"message","role":"user","content":${parts}}`).content).toEqual([
      { type: 'text', text: 't' },
      { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } },
      { type: 'media', mediaType: 'application/*', source: { kind: 'file', id: 'file-1' }, name: 'a.pdf' },
      { type: 'media', mediaType: 'application/pdf', source: { kind: 'url', url: 'https://a.example/b.pdf' } },
    ]);
  });

  it('reads outputs as results, and those of other tools as unknown', () => {
    expect(view('{"type":"function_call_output","call_id":"c","output":"42"}')).toMatchObject({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'c', content: [{ type: 'text', text: '42' }], isError: false }],
    });
    const screen =
      '{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"https://a.example/s.png"}}';
    expect(view(screen).content).toMatchObject([
      { type: 'tool-result', content: [{ type: 'media', mediaType: 'image/*' }] },
    ]);
    expect(view('{"type":"local_shell_call_output","id":"c","output":"x"}')).toMatchObject({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'c', content: [{ type: 'text', text: 'x' }] }],
    });
    expect(view('{"type":"tool_search_output","call_id":"c","tools":[]}').content).toMatchObject([{ type: 'unknown' }]);
    expect(view('{"type":"item_reference","id":"msg_1"}')).toMatchObject({
      role: 'other',
      content: [{ type: 'unknown' }],
    });
  });

  it('notices cache markers', () => {
    const raw =
      '{"role":"user","content":[{"type":"input_text","text":"t","prompt_cache_breakpoint":{"mode":"explicit"}}]}';
    expect(view(raw).needs).toEqual(['cache']);
  });
});
