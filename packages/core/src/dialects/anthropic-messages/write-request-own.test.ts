import { describe, expect, test } from 'vitest';
import { createMessage, type Origin } from '../../message/index.ts';
import type { Draft, Target } from '../write/writer.ts';
import { anthropic } from './provider.ts';
import { view } from './read-response.ts';
import { writer } from './write-request.ts';

const home: Origin = { dialect: 'anthropic-messages', issuer: 'api.anthropic.com' };
const target = (model: string): Target => ({ provider: anthropic, model, account: undefined, params: {} });
const message = (raw: string, origin: Partial<Origin> = {}) => createMessage(raw, { ...home, ...origin }, view);
const assistant = (...blocks: string[]) => `{"role":"assistant","content":[${blocks.join(',')}]}`;
const user = (...blocks: string[]) => `{"role":"user","content":[${blocks.join(',')}]}`;

function splice(raw: string, origin: Partial<Origin> = {}, model = 'claude-sonnet-4-5', dropBound = false) {
  const source = message(raw, origin);
  const [unit, ...more] = writer.splice(source, target(model), { dropBound });
  expect(more).toEqual([]);
  if (unit?.pieces) expect(joined(unit, raw)).toBe(unit.text);
  return unit;
}
const joined = (unit: Draft, raw: string) =>
  unit.pieces!.map((piece) => (typeof piece === 'string' ? piece : raw.slice(piece.start, piece.end))).join('');
const reasons = (unit: Draft | undefined) => unit?.losses.map((loss) => `${loss.kind} ${loss.path} ${loss.reason}`);

const text = '{"type":"text","text":"hi"}';
const signed = '{"type":"thinking","thinking":"hm","signature":"c2ln"}';
const redacted = '{"type":"redacted_thinking","data":"eA=="}';
const call = '{"type":"tool_use","id":"toolu_1","name":"f","input":{}}';

describe('what needs nothing is sent as it is', () => {
  test('its text is one piece, with its calls and results', () => {
    const raw = ` ${assistant(signed, ' {"novel": 1.0} ', call)}`;
    const unit = splice(raw);
    expect(unit).toEqual({
      role: 'assistant',
      text: raw,
      pieces: [{ start: 0, end: raw.length }],
      calls: [{ id: 'toolu_1', name: 'f' }],
      results: [],
      losses: [],
    });
  });

  test('stored facts are enough: the text is not parsed', () => {
    const facts = { role: 'user', digest: 'd', calls: [], results: [], needs: [] } as const;
    const unread = createMessage('{"role":"user","content":"x"}', home, () => expect.fail('parsed'), facts);
    expect(writer.splice(unread, target('claude-opus-5'))).toHaveLength(1);
  });
});

describe('bound reasoning', () => {
  const raw = assistant(signed, text, redacted, call);

  test('stays with its own model, whatever date the name carries', () => {
    expect(splice(raw, { model: 'claude-sonnet-4-5-20250929' })).toMatchObject({ text: raw, losses: [] });
    expect(splice(raw, { model: 'claude-sonnet-4-5-20250929' })).not.toHaveProperty('bound');
  });

  test('is marked where it is bound to the prefix', () => {
    expect(splice(raw, { model: 'claude-fable-5-1' }, 'claude-fable-5-1')).toMatchObject({ text: raw, bound: true });
  });

  test('goes all together for another model', () => {
    const unit = splice(raw, { model: 'claude-opus-5' });
    expect(unit?.text).toBe(assistant(text, call));
    expect(reasons(unit)).toEqual(['dropped content[0] model-bound', 'dropped content[2] model-bound']);
  });

  test('goes when the prefix changed, and the unit is no longer bound', () => {
    const unit = splice(raw, {}, 'claude-fable-5-1', true);
    expect(unit?.text).toBe(assistant(text, call));
    expect(unit).not.toHaveProperty('bound');
    expect(reasons(unit)).toContain('dropped content[0] prefix-bound');
  });

  test('a message that was nothing else is not sent', () => {
    expect(splice(assistant(signed, '{"type":"text","text":"\\n\\n"}'), {}, 'claude-fable-5-1', true)).toBeUndefined();
  });
});

describe('what was cut is kept and never sent', () => {
  const cut = { cut: true } as const;

  test('half-written arguments', () => {
    const unit = splice(assistant(text, call, '{"type":"tool_use","id":"toolu_2","name":"f","input":"{\\"a"}'), cut);
    expect(unit?.text).toBe(assistant(text, call));
    expect(unit?.calls).toEqual([{ id: 'toolu_1', name: 'f' }]);
    expect(reasons(unit)).toEqual(['dropped content[2] cut']);
  });

  test('unsigned thinking takes the signed with it: thinking goes all or none', () => {
    const unit = splice(assistant(signed, text, '{"type":"thinking","thinking":"and"}'), cut);
    expect(unit?.text).toBe(assistant(text));
    expect(reasons(unit)).toEqual(['dropped content[0] cut', 'dropped content[2] cut']);
  });

  test('thinking that would stand last without the block behind it', () => {
    expect(splice(assistant(signed, '{"type":"tool_use","id":"a","name":"f","input":""}'), cut)).toBeUndefined();
    expect(splice(assistant(signed))).toBeUndefined();
  });

  test('a server call whose result never came', () => {
    const server = '{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}';
    expect(splice(assistant(text, server), cut)?.text).toBe(assistant(text));
    expect(splice(assistant(text, server))?.text).toBe(assistant(text, server));
    const caller = call.replace('}}', '},"caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_1"}}');
    expect(splice(assistant(server, caller), cut)?.text).toBe(assistant(server, caller));
  });
});

describe('repairs', () => {
  test('an empty text block is left out, an empty message is not sent', () => {
    expect(splice(assistant('{"type":"text","text":""}', call))?.text).toBe(assistant(call));
    expect(splice(assistant('{"type":"text","text":""}'))).toBeUndefined();
    expect(splice('{"role":"user","content":"  "}')).toBeUndefined();
  });

  test('malformed arguments become a stand-in that quotes them', () => {
    const unit = splice(assistant('{"type":"tool_use","id":"a","input":"{\\"x","name":"f"}'));
    expect(unit?.text).toBe(
      assistant('{"type":"tool_use","id":"a","input":{"_malformed_arguments":"{\\"x"},"name":"f"}'),
    );
    expect(reasons(unit)).toEqual(['rewritten content[0].input malformed-arguments']);
    expect(splice(assistant('{"type":"tool_use","id":"a","name":"f"}'))?.text).toBe(
      assistant('{"type":"tool_use","id":"a","name":"f","input":{}}'),
    );
  });

  test('cache markers and empty texts go, wherever a client put them', () => {
    const marker = '"cache_control":{"type":"ephemeral"}';
    const unit = splice(
      user(
        `{"type":"tool_result","tool_use_id":"a",${marker},"content":[{"type":"text","text":""},{${marker},"type":"text","text":"x"},{"type":"text","text":"y",${marker}}]}`,
        `{${marker},"type":"text","text":"z"}`,
      ),
    );
    expect(unit?.text).toBe(
      user(
        '{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}',
        '{"type":"text","text":"z"}',
      ),
    );
    expect(reasons(unit)).toEqual([
      'rewritten content[0] cache-marker',
      'dropped content[0].content[0] empty',
      'rewritten content[0].content[1] cache-marker',
      'rewritten content[0].content[2] cache-marker',
      'rewritten content[1] cache-marker',
    ]);
  });

  test('a field that the provider refuses to take back is left out', () => {
    const block = (more: string) =>
      `{"type":"tool_search_tool_result","tool_use_id":"a","content":{"type":"tool_search_tool_result_error","error_code":"x"${more}}}`;
    const unit = splice(assistant(block(',"error_message":"no"'), text));
    expect(unit?.text).toBe(assistant(block(''), text));
    expect(unit?.pieces?.every((piece) => typeof piece === 'object')).toBe(true);
    expect(reasons(unit)).toEqual(['dropped content[0].content.error_message refused-field']);
  });

  test('a system message becomes user text where the model takes none', () => {
    const raw = '{"role":"system","content":"be brief"}';
    expect(splice(raw, {}, 'claude-opus-4-8')).toMatchObject({ role: 'system', text: raw });
    const unit = splice(raw);
    expect(unit).toMatchObject({ role: 'user', text: user('{"type":"text","text":"be brief"}') });
    expect(reasons(unit)).toEqual(['rewritten  inline-system']);
  });
});
