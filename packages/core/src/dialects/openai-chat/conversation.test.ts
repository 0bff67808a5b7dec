import { describe, expect, it } from 'vitest';
import { elementTexts, textAt } from '../../json/index.ts';
import { assistant, type Message, toolResult, user } from '../../message/index.ts';
import { makeDialect } from '../dialect.ts';
import type { WriteRequest } from '../request.ts';
import { writeRequest } from '../write/write-request.ts';
import { openaiChatSpec } from './index.ts';
import { openaiChatHome } from './provider.ts';

const dialect = makeDialect(openaiChatSpec);
const findElements = (body: string) => elementTexts(textAt(body, ['messages'])!);
const write = (messages: readonly Message[], more: Partial<WriteRequest> = {}) =>
  writeRequest(dialect, { model: 'gpt-5', system: 'Be kind', messages, ...more });
const call = (id: string) => `{"id":"${id}","type":"function","function":{"name":"f","arguments":"{\\"n\\": 1.0}"}}`;
const reply = (message: string) => dialect.readResponse(`{"choices":[{"index":0,"message":${message}}]}`).message;

describe('a conversation with tools', () => {
  it('extends the last request byte by byte, ten turns long', () => {
    const messages: Message[] = [user('Go')];
    let before: string[] = [];
    for (let turn = 0; turn < 10; turn++) {
      const raw = `{"role":"assistant", "content":null,"phase":"x","tool_calls":[${call(`a${turn}`)},${call(`b${turn}`)}]}`;
      messages.push(reply(raw), toolResult(`a${turn}`, 'ok'), toolResult(`b${turn}`, 'ok'));
      const { body, losses } = write(messages);
      const elements = findElements(body);
      expect(elements.slice(0, before.length)).toEqual(before);
      expect(elements).toContain(raw);
      expect(losses).toEqual([]);
      before = elements;
    }
  });

  it('answers every call, though a result was never recorded', () => {
    const asked = reply(`{"role":"assistant","content":null,"tool_calls":[${call('a')},${call('b')}]}`);
    const { body, losses } = write([user('Go'), asked, toolResult('b', 'ok'), user('Next')]);
    expect(findElements(body).slice(3)).toEqual([
      expect.stringContaining('{"role":"tool","tool_call_id":"a","content":"No result'),
      '{"role":"tool","tool_call_id":"b","content":"ok"}',
      '{"role":"user","content":"Next"}',
    ]);
    expect(losses).toMatchObject([{ kind: 'synthesised', reason: 'tool-unanswered' }]);
  });

  it('pairs calls that came without an id with their results', () => {
    const asked = reply('{"role":"assistant","tool_calls":[{"id":"","function":{"name":"f","arguments":"{}"}}]}');
    const id = asked.toolUses[0]!.id;
    const elements = findElements(write([user('Go'), asked, toolResult(id, 'ok')]).body);
    expect(JSON.parse(elements[2]!)).toMatchObject({ tool_calls: [{ id }] });
    expect(JSON.parse(elements[3]!)).toMatchObject({ role: 'tool', tool_call_id: id });
  });

  it("names a call that came without an id in its result, whatever the client's own name for it was", () => {
    const asked = reply('{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}');
    const answer = dialect.parseMessage('{"role":"tool","tool_call_id":"mine","content":"ok"}');
    const { body, losses } = write([user('Go'), asked, answer]);
    const [call, result] = findElements(body)
      .slice(2)
      .map((text) => JSON.parse(text));
    expect(result.tool_call_id).toBe(call.tool_calls[0].id);
    const detail = `mine -> ${result.tool_call_id}`;
    expect(losses).toContainEqual({ kind: 'rewritten', message: 2, path: '', reason: 'tool-id', detail });
    expect(result.content).toBe('ok');
  });

  it('answers a call of another provider that was answered in the older form', () => {
    const asked = assistant([{ type: 'tool-use', id: 'a', name: 'f', parameters: {}, rawParameters: '{}' }]);
    const answer = dialect.parseMessage('{"role":"function","name":"f","content":"ok"}');
    const { body } = write([user('Go'), asked, answer]);
    expect(findElements(body)[3]).toBe('{"role":"tool","tool_call_id":"a","content":"ok"}');
  });

  it('pairs older function calls with their results', () => {
    const raws = [
      '{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}',
      '{"role":"function","name":"f","content":"ok"}',
    ];
    const messages = raws.map((raw) => dialect.parseMessage(raw));
    const { body, losses } = write([user('Go'), ...messages, user('Next')]);
    expect(findElements(body).slice(2, 4)).toEqual(raws);
    expect(losses).toEqual([]);
  });

  it('sends the media of several results behind all of them', () => {
    const image = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'QQ==' } } as const;
    const asked = reply(`{"role":"assistant","content":null,"tool_calls":[${call('a')},${call('b')}]}`);
    const { body } = write([user('Go'), asked, toolResult('a', [image]), toolResult('b', [image])]);
    expect(findElements(body).map((element) => (JSON.parse(element) as { role: string }).role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
      'user',
    ]);
  });
});

it('takes turns where a chat template insists on it', () => {
  const provider = { ...openaiChatHome, policies: { ...openaiChatHome.policies, alternateRoles: true } };
  const { body } = write([user('a'), user('b'), assistant('c'), assistant('d'), user('e')], { provider });
  expect(findElements(body).slice(1)).toEqual([
    String.raw`{"role":"user","content":"a\n\nb"}`,
    String.raw`{"role":"assistant","content":"c\n\nd"}`,
    '{"role":"user","content":"e"}',
  ]);
  const call = assistant([{ type: 'tool-use', id: 'a', name: 'f', parameters: {}, rawParameters: '{}' }]);
  const looked = write([user('a'), assistant('Let me see'), call, toolResult('a', 'b'), user('c')], { provider });
  expect(findElements(looked.body).slice(1)).toEqual([
    '{"role":"user","content":"a"}',
    '{"role":"assistant","content":"Let me see","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}',
    '{"role":"tool","tool_call_id":"a","content":"b"}',
    '{"role":"user","content":"c"}',
  ]);
  expect(looked.losses).toMatchObject([{ message: 2, reason: 'merged' }]);
});

it('sends what a cut stream left without what was never complete', () => {
  const reader = dialect.readStream();
  reader.push(undefined, '{"choices":[{"index":0,"delta":{"role":"assistant","content":"Let me see"}}]}');
  reader.push(
    undefined,
    '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\\"n"}}]}}]}',
  );
  const { message, stop } = reader.finish();
  expect(stop.reason).toBe('cut');
  const { body, losses } = write([user('Go'), message, user('And?')]);
  expect(findElements(body)[2]).toBe('{"role":"assistant","content":"Let me see"}');
  expect(losses).toMatchObject([{ kind: 'dropped', reason: 'cut', message: 1 }]);
});
