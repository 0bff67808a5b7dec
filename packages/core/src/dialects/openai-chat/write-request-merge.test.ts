import { describe, expect, it } from 'vitest';
import type { Draft } from '../write/writer.ts';
import { mergeMessages } from './write-request.ts';

const unit = (role: Draft['role'], text: string): Draft => {
  const calls = text.includes('tool_calls') ? [{ id: 'a', name: 'f' }] : [];
  return { role, text, calls, results: [], losses: [] };
};
const merged = (role: Draft['role'], ...texts: string[]) => mergeMessages(texts.map((text) => unit(role, text)))?.text;

describe('runs of one role', () => {
  it('become one message, their texts spelled as before', () => {
    expect(merged('user', '{"role":"user","content":"caf\\u00e9"}', '{"role":"user","content":"b"}')).toBe(
      String.raw`{"role":"user","content":"caf\u00e9\n\nb"}`,
    );
    const parts = '[{"type":"text","text":"a"}]';
    expect(merged('user', `{"role":"user","content":${parts}}`, '{"role":"user","content":"b"}')).toBe(
      String.raw`{"role":"user","content":"a\n\nb"}`,
    );
  });

  it('keep parts that are more than text', () => {
    const image = '{"type":"image_url","image_url":{"url":"https://x.test"}}';
    expect(merged('user', '{"role":"user","content":"a"}', `{"role":"user","content":[${image}]}`)).toBe(
      `{"role":"user","content":[{"type":"text","text":"a"},${image}]}`,
    );
  });

  it('stand before the calls of the last, which keeps all that it has', () => {
    const calls = '{"role":"assistant","content":null,"tool_calls":[{}],"reasoning_content":"hm"}';
    expect(merged('assistant', '{"role":"assistant","content":"caf\\u00e9"}', calls)).toBe(
      calls.replace('null', '"caf\\u00e9"'),
    );
    const both = '{"role":"assistant","content":"b","tool_calls":[{}]}';
    expect(merged('assistant', '{"role":"assistant","content":"a"}', both)).toBe(
      both.replace('"b"', String.raw`"a\n\nb"`),
    );
    expect(merged('assistant', '{"role":"assistant","content":"a"}', '{"role":"assistant","tool_calls":[{}]}')).toBe(
      '{"role":"assistant","tool_calls":[{}],"content":"a"}',
    );
  });

  it('stay apart where something would be lost', () => {
    const plain = '{"role":"assistant","content":"a","refusal":null}';
    expect(merged('assistant', plain, plain)).toBe(String.raw`{"role":"assistant","content":"a\n\na","refusal":null}`);
    const calls = '{"role":"assistant","content":null,"tool_calls":[{}]}';
    expect(merged('assistant', calls, plain)).toBeUndefined();
    expect(merged('assistant', calls, calls)).toBeUndefined();
    expect(merged('user', '{"role":"user","name":"x","content":"a"}', '{"role":"user","content":"b"}')).toBeUndefined();
    const result = '{"role":"tool","tool_call_id":"a","content":"b"}';
    expect(merged('tool', result, result)).toBeUndefined();
    expect(merged('tool', '{"role":"tool","content":"a"}', '{"role":"tool","content":"b"}')).toBeUndefined();
  });
});
