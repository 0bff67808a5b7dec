import { describe, expect, it } from 'vitest';
import { createMessage, type Message, type Origin } from '../../message/index.ts';
import type { Policies, ProviderDescriptor } from '../provider.ts';
import type { Draft, Target } from '../write/writer.ts';
import { openaiChatHome } from './provider.ts';
import { view } from './read-response.ts';
import { spliceMessage } from './write-request.ts';

const home: Origin = { dialect: 'openai-chat', issuer: 'api.openai.com', model: 'gpt-5' };
const message = (raw: string, origin: Partial<Origin> = {}): Message =>
  createMessage(raw, { ...home, ...origin }, view);
const target = (policies: Partial<Policies> = {}, model = 'gpt-5'): Target => {
  const provider: ProviderDescriptor = {
    ...openaiChatHome,
    policies: { ...openaiChatHome.policies, ...policies },
  };
  return { provider, model, account: undefined, params: {} };
};
const spliced = (raw: string, origin: Partial<Origin> = {}, to = target(), dropBound = false): readonly Draft[] =>
  spliceMessage(message(raw, origin), to, { dropBound });
const fn = (args: string, id = '"id":"a",') =>
  `{${id}"type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}`;

describe('what is in order', () => {
  it('is sent byte by byte, unknown fields and odd spellings included', () => {
    const raw = ' {"role" : "assistant","content":"caf\\u00e9","phase":"x","n":1.0, "refusal":null}';
    expect(spliced(raw)).toEqual([
      { role: 'assistant', text: raw, pieces: [{ start: 0, end: raw.length }], calls: [], results: [], losses: [] },
    ]);
  });

  it('is not parsed when its facts are known', () => {
    const facts = { role: 'user', digest: '', calls: [], results: [], needs: [] } as const;
    const unread = createMessage('not even JSON', home, view, facts);
    expect(spliceMessage(unread, target())[0]!.text).toBe('not even JSON');
  });
});

it('stands in for thoughts where a model called without thinking and another wants them back', () => {
  const to = target({ quirks: { thoughtCalls: { default: true }, reasoningField: { default: 'reasoning_content' } } });
  const raw = `{"role":"assistant","content":null,"tool_calls":[${fn('{}')}]}`;
  const standIn = '"reasoning_content":"(not available)"';
  const [unit] = spliced(raw, {}, to);
  expect(unit?.text).toBe(`${raw.slice(0, -1)},${standIn}}`);
  expect(unit?.losses).toEqual([{ kind: 'synthesised', path: '', reason: 'foreign-reasoning' }]);
  expect(spliced(raw.replace('{', '{"reasoning_content":null,'), {}, to)[0]?.text).toContain(standIn);
  const thought = raw.replace('{', '{"reasoning_content":"",');
  expect(spliced(thought, {}, to)).toMatchObject([{ text: thought, losses: [] }]);
  expect(spliced('{"role":"assistant","content":"a"}', {}, to)[0]?.losses).toEqual([]);
});

describe('fields that are refused when they come back', () => {
  it('echoes audio as its id', () => {
    const raw =
      '{"role":"assistant","content":null,"audio":{"id":"audio_1","expires_at":1,"data":"QQ==","transcript":"Hi"}}';
    const [unit] = spliced(raw);
    expect(unit!.text).toBe('{"role":"assistant","content":null,"audio":{"id":"audio_1"}}');
    expect(unit!.losses.map(({ path, reason }) => [path, reason])).toEqual([
      ['audio.data', 'refused-field'],
      ['audio.expires_at', 'refused-field'],
      ['audio.transcript', 'refused-field'],
    ]);
    const pieces = unit!.pieces!.map((piece) =>
      typeof piece === 'string' ? piece : raw.slice(piece.start, piece.end),
    );
    expect(pieces.join('')).toBe(unit!.text);
  });

  it('keeps thoughts back where the provider does not want them', () => {
    const raw = '{"role":"assistant","reasoning_content":"hm","reasoning":"hm","content":"a"}';
    expect(spliced(raw)[0]!.text).toBe(raw);
    const to = target({ quirks: { sendReasoning: { default: true, models: [['gpt-*', false]] } } });
    expect(spliced(raw, {}, to)[0]!.text).toBe('{"role":"assistant","content":"a"}');
  });

  it('follows stars into every element, and takes neighbours out together', () => {
    const raw = '{"role":"user","content":"a","a":[{"x":1,"y":2,"z":3},{"y":4},5],"b":{"x":1}}';
    const to = target({ refusedFields: ['a.*.x', 'a.*.y', 'b.x', 'c.d'] });
    expect(spliced(raw, {}, to)[0]!.text).toBe('{"role":"user","content":"a","a":[{"z":3},{},5],"b":{}}');
  });
});

describe('what would be refused', () => {
  it('leaves out a message without content', () => {
    expect(spliced('{"role":"assistant","content":null,"reasoning":"hm"}')).toEqual([]);
  });

  it('leaves out an empty list of calls', () => {
    expect(spliced('{"role":"assistant","content":"a","tool_calls":[]}')[0]!.text).toBe(
      '{"role":"assistant","content":"a"}',
    );
  });

  it('replaces malformed arguments by a stand-in that quotes them', () => {
    const [unit] = spliced(`{"role":"assistant","content":null,"tool_calls":[${fn('{"a":')}]}`);
    const standIn = JSON.stringify('{"_malformed_arguments":"{\\"a\\":"}');
    expect(unit!.text).toContain(`"arguments":${standIn}`);
    expect(unit!.losses).toMatchObject([
      { kind: 'rewritten', path: 'tool_calls[0].function.arguments', reason: 'malformed-arguments' },
    ]);
    expect(unit!.calls).toEqual([{ id: 'a', name: 'f' }]);
  });

  it('never sends a call whose beginning was lost with its name, and keeps calls of unknown kinds', () => {
    const lost = '{"type":"function","function":{"arguments":"{}"}}';
    const odd = '{"id":"o","type":"future","future":{"a":1}}';
    const [sent] = spliced(`{"role":"assistant","content":"Hm","tool_calls":[${lost},${odd}]}`, {});
    expect(sent!.text).toBe(`{"role":"assistant","content":"Hm","tool_calls":[${odd}]}`);
    expect(sent!.losses).toEqual([expect.objectContaining({ kind: 'dropped', path: 'tool_calls[0]', reason: 'cut' })]);
  });

  it('never sends a call that was cut', () => {
    const cut = { cut: true } as const;
    const both = `{"role":"assistant","content":null,"tool_calls":[${fn('{}')},${fn('{"a', '"id":"b",')}]}`;
    expect(spliced(both, cut)).toMatchObject([
      {
        text: `{"role":"assistant","content":null,"tool_calls":[${fn('{}')}]}`,
        calls: [{ id: 'a' }],
        losses: [{ kind: 'dropped', path: 'tool_calls[1]', reason: 'cut' }],
      },
    ]);
    const one = (content: string) => `{"role":"assistant","content":${content},"tool_calls":[${fn('{"a')}]}`;
    expect(spliced(one('"Let me see"'), cut)[0]!.text).toBe('{"role":"assistant","content":"Let me see"}');
    expect(spliced(one('null'), cut)).toEqual([]);
  });

  it('strips cache markers', () => {
    const [unit] = spliced(
      '{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b"}]}',
    );
    expect(unit!.text).toBe('{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}');
    expect(unit!.losses).toMatchObject([
      { kind: 'rewritten', path: 'content[0].cache_control', reason: 'cache-marker' },
    ]);
  });

  it('gives calls without an id the one their results name', () => {
    const raw = `{"role":"assistant","content":null,"tool_calls":[${fn('{}', '')},${fn('{}', '"id":"",')}]}`;
    const [unit] = spliced(raw);
    const sent = JSON.parse(unit!.text) as { tool_calls: { id: string }[] };
    expect(sent.tool_calls.map(({ id }) => id)).toEqual(message(raw).toolUses.map(({ id }) => id));
    expect(unit!.calls).toHaveLength(2);
  });

  it('leaves older function calls as they are', () => {
    const raw = '{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}';
    expect(spliced(raw)[0]!.text).toBe(raw);
  });
});

describe('opaque thoughts', () => {
  const raw =
    '{"role":"assistant","content":"a","reasoning_details":[{"type":"reasoning.encrypted","data":"X"}],"reasoning":null}';
  const without = '{"role":"assistant","content":"a","reasoning":null}';

  it('go back where nothing binds them', () => {
    expect(spliced(raw)).toMatchObject([{ text: raw, losses: [] }]);
    expect(spliced(raw)[0]).not.toHaveProperty('bound');
  });

  it('say that they are bound to their prefix, and go when it no longer holds', () => {
    const to = target({ reasoningBoundTo: { default: ['prefix'] } });
    expect(spliced(raw, {}, to)[0]!.bound).toBe(true);
    const [unit] = spliced(raw, {}, to, true);
    expect(unit).toMatchObject({ text: without, losses: [{ reason: 'prefix-bound' }] });
    expect(unit).not.toHaveProperty('bound');
  });

  it('do not go to another model where they are bound to theirs', () => {
    const to = target({ reasoningBoundTo: { default: ['model'] } }, 'o3');
    expect(spliced(raw, {}, to)).toMatchObject([{ text: without, losses: [{ reason: 'model-bound' }] }]);
  });
});
