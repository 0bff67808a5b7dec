import { describe, expect, it } from 'vitest';
import { dialect, writeRequest } from '../dialects/index.ts';
import { MessageList, MessageListDeserializationError } from './index.ts';

const call = (id: string, more: object = {}) => ({
  type: 'ToolCallMessage',
  message: 'I will look',
  tool_name: 'get_weather',
  tool_call_id: id,
  arguments: { location: 'Paris' },
  result: 'Sunny, 22°C',
  error: null,
  role: 'assistant',
  ...more,
});
const list = (...messages: unknown[]) => ({ messages, version: '1.0' });

describe('the older list of typed messages', () => {
  it('is read whole: a call becomes a call and its result', () => {
    const loaded = MessageList.fromJSON(
      list(
        { type: 'AgentMessage', text: 'You are helpful', role: 'system' },
        { type: 'TextMessage', text: 'Hello!', role: 'assistant' },
        { type: 'TextMessage', text: "What's the weather in Paris?", role: 'user' },
        call('call_1'),
        { type: 'TextMessage', text: 'Sunny.', role: 'assistant' },
      ),
    );
    expect([...loaded].map(({ role, text }) => [role, text])).toEqual([
      ['system', 'You are helpful'],
      ['assistant', 'Hello!'],
      ['user', "What's the weather in Paris?"],
      ['assistant', 'I will look'],
      ['tool', 'Sunny, 22°C'],
      ['assistant', 'Sunny.'],
    ]);
    expect(loaded.at(3)?.toolUses).toMatchObject([
      { id: 'call_1', name: 'get_weather', parameters: { location: 'Paris' } },
    ]);
    expect(loaded.at(4)?.toolResults[0]?.toolCallId).toBe('call_1');
  });

  it('makes one message of consecutive calls with the same text, and the results follow in order', () => {
    const loaded = MessageList.fromJSON(list(call('a'), call('b', { result: 8 }), call('c', { message: 'And now' })));
    expect([...loaded].map(({ role, toolUses }) => [role, toolUses.map(({ id }) => id).join()])).toEqual([
      ['assistant', 'a,b'],
      ['tool', ''],
      ['tool', ''],
      ['assistant', 'c'],
      ['tool', ''],
    ]);
    expect(loaded.at(2)?.text).toBe('8');
  });

  it.each(['', null])('reads calls without a text (%j) as turns of their own, one after the other', (message) => {
    const loaded = MessageList.fromJSON(list(call('a', { message }), call('b', { message })));
    expect([...loaded].map(({ role, toolUses }) => [role, toolUses.map(({ id }) => id).join()])).toEqual([
      ['assistant', 'a'],
      ['tool', ''],
      ['assistant', 'b'],
      ['tool', ''],
    ]);
  });

  it('does not make one message of two calls with the same id', () => {
    const loaded = MessageList.fromJSON(list(call('a'), call('a')));
    expect([...loaded].map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant', 'tool']);
  });

  it('keeps the error of a call', () => {
    const loaded = MessageList.fromJSON(list(call('a', { result: null, error: 'No such city' })));
    expect(loaded.at(1)?.toolResults[0]).toMatchObject({ isError: true });
    expect(loaded.at(1)?.text).toBe('No such city');
  });

  it('keeps large numbers, given as text', () => {
    const text = JSON.stringify(list(call('a', { result: 0, message: '' })), null, 2)
      .replace('"Paris"', '2512292042121000001')
      .replace('"result": 0', '"result": {"n": 9007199254740993}');
    const loaded = MessageList.fromJSON(text);
    expect(loaded.at(0)?.toolUses[0]?.rawParameters).toContain('2512292042121000001');
    expect(loaded.at(0)?.content).toHaveLength(1);
    expect(loaded.at(1)?.text).toBe('{"n": 9007199254740993}');
    expect(writeRequest(dialect('openai-chat'), { model: 'm', messages: loaded }).losses).toEqual([]);
  });

  it.each([
    [
      list({ type: 'TextMessage', text: 'a', role: 'user' }, { type: 'ImageMessage' }),
      'unknown type "ImageMessage"',
      1,
    ],
    [list({ type: 'TextMessage', text: 'a', role: 'narrator' }), 'unknown role "narrator"', 0],
    [list({ type: 'TextMessage', text: 'a', role: 'constructor' }), 'unknown role', 0],
    [list({ type: 'TextMessage', text: 3, role: 'user' }), '"text" of a TextMessage must be text', 0],
    [list(call('a', { arguments: 'x' })), '"arguments" of a ToolCallMessage must be an object', 0],
    [list(call('a', { tool_call_id: 7 })), '"tool_call_id"', 0],
    [list(null), 'not an object', 0],
    [{ version: '1.0' }, '"messages" must be an array', undefined],
  ])('%j is an error with index and reason', (saved, problem, index) => {
    expect(() => MessageList.fromJSON(saved)).toThrow(problem);
    expect(() => MessageList.fromJSON(saved)).toThrow(expect.objectContaining({ index }));
  });

  it.each([
    [{ version: '2.0', messages: [] }, '2.0', ['1.0', 1]],
    [{ format: 'skein/messages', version: 7 }, 7, [1, '1.0']],
  ])('%j: an unsupported version is named, with those that are read', (saved, version, supported) => {
    expect(() => MessageList.fromJSON(saved)).toThrow(MessageListDeserializationError);
    expect(() => MessageList.fromJSON(saved)).toThrow(expect.objectContaining({ version, supported }));
  });
});
