import { describe, expect, it } from 'vitest';
import type { Unit } from '../write/index.ts';
import { gather } from './gather.ts';

const unit = (role: Unit['role'], text: string): Unit => ({ role, text, calls: [], results: [], losses: [] });
const gathered = (role: Unit['role'], ...texts: string[]) => gather(texts.map((text) => unit(role, text)))?.text;

describe('runs of one role', () => {
  it('become one message, their texts spelled as before', () => {
    expect(gathered('user', '{"role":"user","content":"caf\\u00e9"}', '{"role":"user","content":"b"}')).toBe(
      String.raw`{"role":"user","content":"caf\u00e9\n\nb"}`,
    );
    const parts = '[{"type":"text","text":"a"}]';
    expect(gathered('user', `{"role":"user","content":${parts}}`, '{"role":"user","content":"b"}')).toBe(
      String.raw`{"role":"user","content":"a\n\nb"}`,
    );
  });

  it('keep parts that are more than text', () => {
    const image = '{"type":"image_url","image_url":{"url":"https://x.test"}}';
    expect(gathered('user', '{"role":"user","content":"a"}', `{"role":"user","content":[${image}]}`)).toBe(
      `{"role":"user","content":[{"type":"text","text":"a"},${image}]}`,
    );
  });

  it('stay apart where something would be lost', () => {
    const plain = '{"role":"assistant","content":"a","refusal":null}';
    expect(gathered('assistant', plain, plain)).toBe(String.raw`{"role":"assistant","content":"a\n\na"}`);
    expect(gathered('assistant', plain, '{"role":"assistant","content":null,"tool_calls":[{}]}')).toBeUndefined();
    expect(
      gathered('user', '{"role":"user","name":"x","content":"a"}', '{"role":"user","content":"b"}'),
    ).toBeUndefined();
    const result = '{"role":"tool","tool_call_id":"a","content":"b"}';
    expect(gathered('tool', result, result)).toBeUndefined();
    expect(gathered('tool', '{"role":"tool","content":"a"}', '{"role":"tool","content":"b"}')).toBeUndefined();
  });
});
