import { judgeOpenAIResponses } from '@skein/emulator';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/index.ts';
import { type Message, type Origin, toolResult } from '../../message/index.ts';
import { makeDialect } from '../dialect.ts';
import type { ProviderDescriptor } from '../provider.ts';
import { writeRequest } from '../write/write-request.ts';
import type { Draft, Target } from '../write/writer.ts';
import { openaiResponsesSpec } from './index.ts';
import { openai } from './provider.ts';
import { spliceMessage } from './write-request.ts';

const dialect = makeDialect(openaiResponsesSpec);
const target: Target = { provider: openai, model: 'gpt-5', account: undefined, params: {}, store: undefined };
const storing: ProviderDescriptor = {
  ...openai,
  policies: { ...openai.policies, quirks: { ...openai.policies.quirks, store: { default: true } } },
};

const sealed = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c1"}';
const bare = '{"type":"reasoning","id":"rs_2","summary":[]}';
const said =
  '{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi"}],"phase":"final_answer"}';
const call = '{"id":"fc_1","type":"function_call","call_id":"c1","name":"f","arguments":"{}","status":"completed"}';
const search = '{"type":"file_search_call","id":"fs_1","queries":[]}';

function splice(raw: string, origin: Partial<Origin> = {}, to: Partial<Target> = {}, dropBound = false) {
  const message = dialect.parseMessage(raw, origin);
  const units = spliceMessage(message, { ...target, ...to }, { dropBound });
  for (const unit of units) expect(joined(unit, raw)).toBe(unit.text);
  return units;
}

function joined({ pieces }: Draft, raw: string): string | undefined {
  return pieces?.map((piece) => (typeof piece === 'string' ? piece : raw.slice(piece.start, piece.end))).join('');
}

const notes = (unit: Draft | undefined) => unit?.losses.map(({ kind, path, reason }) => `${kind} ${path} ${reason}`);
const without = (item: string, member: string) => item.replace(member, '');

describe("sending the API's own text back", () => {
  it('sends the same ordered list, unknown fields and all', () => {
    const raw = ` [ ${sealed} , ${said},${call}, {"type":"new_item","phase":1.0} ]`;
    const [unit] = splice(raw);
    expect(unit?.text.trim()).toBe(raw.trim().slice(1, -1).trim());
    expect(unit).toMatchObject({ role: 'assistant', calls: [{ id: 'c1', name: 'f' }], results: [], losses: [] });
  });

  it('sends items of clients as they are', () => {
    expect(splice('{"role":"user","content":"x","n":1.0}')[0]).toMatchObject({
      role: 'user',
      text: '{"role":"user","content":"x","n":1.0}',
    });
    expect(splice('{"type":"function_call_output","call_id":"c1","output":"1"}')[0]).toMatchObject({
      role: 'tool',
      results: ['c1'],
    });
    expect(splice('{"type":"item_reference","id":"msg_1"}')[0]).toMatchObject({ role: 'user', calls: [], results: [] });
  });

  it('takes out the fields that a provider refuses, and says so', () => {
    const strictOnes = { ...openai, policies: { ...openai.policies, refusedFields: ['phase', 'content.*.logprobs'] } };
    const raw = `[${said.replace('"text":"Hi"', '"logprobs":[],"text":"Hi"')},${call}]`;
    const [unit] = splice(raw, {}, { provider: strictOnes });
    expect(unit?.text).toBe(`${without(said, ',"phase":"final_answer"')},${call}`);
    expect(notes(unit)).toEqual(['dropped [0].phase refused-field', 'dropped [0].content[0].logprobs refused-field']);
  });

  it('takes out cache markers', () => {
    const [unit] = splice(
      '{"role":"user","content":[{"type":"input_text","prompt_cache_breakpoint":{"mode":"explicit"},"text":"t"}]}',
    );
    expect(unit?.text).toBe('{"role":"user","content":[{"type":"input_text","text":"t"}]}');
    expect(notes(unit)).toEqual(['rewritten content[0].prompt_cache_breakpoint cache-marker']);
  });

  it('stands in for malformed arguments', () => {
    const [unit] = splice(`[${call.replace('"{}"', '"{\\"a"')}]`);
    expect(unit?.text).toBe(call.replace('"{}"', JSON.stringify('{"_malformed_arguments":"{\\"a"}')));
    expect(notes(unit)).toEqual(['rewritten [0].arguments malformed-arguments']);
  });

  it('sends nothing for an empty turn', () => {
    expect(splice('[]')).toEqual([]);
    expect(splice(`[${said.replace('Hi', '')}]`)).toEqual([]);
  });
});

describe('reasoning', () => {
  it('without ciphertext goes where nothing is stored, and its items stand alone', () => {
    const [unit] = splice(`[${bare},${said},${call},${sealed},${said.replace('msg_1', 'msg_2')}]`);
    expect(unit?.text).toBe(
      [without(said, '"id":"msg_1",'), without(call, '"id":"fc_1",'), sealed, said.replace('msg_1', 'msg_2')].join(','),
    );
    expect(notes(unit)).toEqual([
      'dropped [0] refused-field',
      'rewritten [1].id refused-field',
      'rewritten [2].id refused-field',
    ]);
  });

  it('without ciphertext stays where the provider stores, or never encrypts', () => {
    expect(splice(`[${bare},${said}]`, {}, { provider: storing })[0]?.losses).toEqual([]);
    expect(splice(`[${bare},${said}]`, {}, { store: 'true' })[0]?.text).toBe(`${bare},${said}`);
    expect(splice(`[${bare},${said}]`, {}, { provider: storing, store: 'false' })[0]?.text).not.toContain('rs_2');
    const quirks = { encryptedReasoning: { default: false } };
    const open = { ...openai, policies: { ...openai.policies, quirks } };
    expect(splice(`[${bare},${said}]`, {}, { provider: open })[0]?.text).toBe(`${bare},${said}`);
  });

  it('of another account goes, with the ids that ask for it and the records that need their ids', () => {
    const [unit] = splice(`[${sealed},${search},${said}]`, { account: 'a' }, { account: 'b' });
    expect(unit?.text).toBe(without(said, '"id":"msg_1",'));
    expect(notes(unit)).toEqual([
      'dropped [0] account-bound',
      'dropped [1] server-tool',
      'rewritten [2].id account-bound',
    ]);
    expect(splice(`[${sealed},${said}]`, { account: 'a' }, { account: 'a' })[0]?.losses).toEqual([]);
  });

  it.each([
    '{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}}',
    '{"type":"mcp_approval_request","id":"mcpr_1","arguments":"{}","name":"n","server_label":"s"}',
    '{"type":"mcp_call","id":"mcp_1","arguments":"{}","name":"n","server_label":"s","output":"o"}',
    '{"type":"image_generation_call","id":"ig_1","status":"completed","result":"AAAA"}',
    '{"type":"program","id":"pr_1","call_id":"c1","code":"1","fingerprint":"f"}',
  ])('without ciphertext takes a record along that the API refuses without its id: %s', (record) => {
    const user = dialect.parseMessage('{"role":"user","content":"x"}');
    const write = (turn: string) =>
      writeRequest(dialect, { model: 'gpt-5', messages: [user, dialect.parseMessage(turn), user] });
    const told = (turn: string) => write(turn).losses.map(({ path, reason }) => `${path} ${reason}`);
    for (const turn of [`[${bare},${record}]`, `[ ${bare} , ${record} ,${said}]`])
      expect(judgeOpenAIResponses({ body: write(turn).body }).refusal).toBeUndefined();
    expect(told(`[ ${bare} , ${record} ]`)).toEqual(['[0] refused-field', '[1] server-tool']);
  });

  it('takes a compaction of another account along', () => {
    const compaction = '{"type":"compaction","id":"cmp_1","encrypted_content":"x"}';
    expect(splice(`[${said},${compaction}]`, { account: 'a' }, { account: 'b' })[0]?.text).toBe(said);
    expect(splice(`[${said},${compaction}]`)[0]?.text).toBe(`${said},${compaction}`);
  });

  it('with nothing behind it goes', () => {
    expect(splice(`[${said},${sealed}]`)[0]?.text).toBe(said);
    expect(splice(`[${sealed}]`)).toMatchObject([{ text: '', calls: [] }]);
  });

  it('is bound to the prefix where the policy says so', () => {
    const bound = { ...openai, policies: { ...openai.policies, reasoningBoundTo: { default: ['prefix'] as const } } };
    expect(splice(`[${sealed},${said}]`, {}, { provider: bound })[0]?.bound).toBe(true);
    const [unit] = splice(`[${sealed},${said}]`, {}, { provider: bound }, true);
    expect(unit?.bound).toBeUndefined();
    expect(notes(unit)).toEqual(['dropped [0] prefix-bound', 'rewritten [1].id prefix-bound']);
    const moved = dialect.parseMessage(`[${sealed},${search}]`, { prefix: 'another' });
    const user = dialect.parseMessage('{"role":"user","content":"x"}');
    const { body, losses } = writeRequest(dialect, { model: 'gpt-5', provider: bound, messages: [user, moved, user] });
    expect(body).toContain(`[${user.raw},${user.raw}]`);
    expect(losses.map(({ reason }) => reason)).toEqual(['prefix-bound', 'server-tool']);
  });
});

describe('a reply that was cut', () => {
  const half =
    '{"type":"message","id":"msg_1","status":"in_progress","role":"assistant","content":[{"type":"output_text","text":"Hal"}]}';
  const open =
    '{"type":"function_call","id":"fc_2","call_id":"c2","name":"f","arguments":"{\\"a","status":"in_progress"}';

  it('sends the text so far as a message that stands alone', () => {
    const [unit] = splice(`[${sealed},${half}]`, { cut: true });
    expect(unit?.text).toBe('{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hal"}]}');
    expect(notes(unit)).toEqual(['dropped [0] cut', 'rewritten [1].id cut']);
  });

  it('never sends half a call, and keeps whole ones with the reasoning before them', () => {
    const [unit] = splice(`[${sealed},${call},${open}]`, { cut: true });
    expect(unit?.text).toBe(`${sealed},${call}`);
    expect(unit?.calls).toEqual([{ id: 'c1', name: 'f' }]);
    expect(notes(unit)).toEqual(['dropped [2] cut']);
    expect(notes(splice(`[${sealed},${open}]`, { cut: true })[0])).toEqual(['dropped [0] cut', 'dropped [1] cut']);
  });

  it('is sent whole when every item was complete', () => {
    expect(splice(`[${sealed},${call}]`, { cut: true })[0]?.text).toBe(`${sealed},${call}`);
  });
});

describe('a message that stands twice', () => {
  const user = dialect.parseMessage('{"role":"user","content":"go on","n":1.0}');

  it('is sent as it is when nothing in it has an id, and from its blocks otherwise', () => {
    const turn = dialect.parseMessage(`[${sealed},${said}]`);
    const { body, losses } = writeRequest(dialect, { model: 'gpt-5', messages: [user, turn, user, turn, user] });
    expect(body).toContain(
      `[${user.raw},${turn.raw.slice(1, -1)},${user.raw},{"role":"assistant","content":"Hi"},${user.raw}]`,
    );
    expect(losses.map(({ message, reason }) => [message, reason])).toEqual([[3, 'foreign-reasoning']]);
  });
});

describe('a result without its call', () => {
  const result = dialect.parseMessage('{"type":"function_call_output","call_id":"c1","output":"1"}');
  const write = (extra: JsonObject) => writeRequest(dialect, { model: 'gpt-5', messages: [result], extra }).body;

  it('stays one where the provider holds the call, and is told as text elsewhere', () => {
    expect(write({ previous_response_id: 'resp_1' })).toContain(`[${result.raw}]`);
    expect(write({ conversation: { id: 'conv_1' } })).toContain(`[${result.raw}]`);
    expect(write({ previous_response_id: null })).toContain('Result of the earlier tool call c1');
  });
});

describe('a custom call', () => {
  const custom = '{"type":"custom_tool_call","id":"ctc_1","call_id":"c1","name":"sh","input":"ls"}';

  const user = dialect.parseMessage('{"role":"user","content":"x"}');
  const write = (...messages: Message[]) => writeRequest(dialect, { model: 'gpt-5', messages }).body;

  it('that has no result gets one of its own kind', () => {
    expect(write(dialect.parseMessage(`[${custom}]`), user)).toContain(
      '{"type":"custom_tool_call_output","call_id":"c1","output":"No result',
    );
  });

  it('is answered in kind, sent back or written for another issuer', () => {
    const output = '{"type":"custom_tool_call_output","call_id":"c1","output":"files"}';
    expect(write(dialect.parseMessage(`[${custom}]`), toolResult('c1', 'files'))).toContain(`[${custom},${output}]`);
    const elsewhere = dialect.parseMessage(`[${custom}]`, { issuer: 'example.com' });
    expect(write(elsewhere, toolResult('c1', 'files'))).toContain(
      `[{"type":"custom_tool_call","call_id":"c1","name":"sh","input":"ls"},${output}]`,
    );
  });
});
