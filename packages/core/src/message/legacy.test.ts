import { describe, expect, it } from 'vitest';
import { isLegacyMessage, LegacyMessageError, legacyToContentBlocks, normalizeMessage, user } from './index.ts';

const call = (name: string, args: string, id = 'call_1') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
});

describe('messages of the older shape', () => {
  it('become text first, then tool calls in order', () => {
    const message = normalizeMessage({
      role: 'assistant',
      content: 'Let me help you with that.',
      tool_calls: [call('get_weather', '{"location": "Paris"}', 'call_123'), call('get_time', '', 'call_124')],
    });
    expect(message.content).toEqual([
      { type: 'text', text: 'Let me help you with that.' },
      {
        type: 'tool-use',
        id: 'call_123',
        name: 'get_weather',
        parameters: { location: 'Paris' },
        rawParameters: '{"location": "Paris"}',
      },
      { type: 'tool-use', id: 'call_124', name: 'get_time', parameters: {}, rawParameters: '{}' },
    ]);
  });

  it('keep large numbers in arguments exactly', () => {
    const message = normalizeMessage({
      role: 'assistant',
      content: null,
      tool_calls: [call('f', '{"n":2512292042121000001}')],
    });
    expect(message.raw).toContain('2512292042121000001');
  });

  it('become user, system and tool messages', () => {
    expect(normalizeMessage({ role: 'user', content: 'Hello world' })).toMatchObject({
      role: 'user',
      text: 'Hello world',
    });
    expect(normalizeMessage({ role: 'system', content: 'Be brief' }).role).toBe('system');
    const result = normalizeMessage('{"role":"tool","content":"Sunny","tool_call_id":"call_123"}');
    expect(result.toolResults[0]).toMatchObject({ toolCallId: 'call_123', content: [{ type: 'text', text: 'Sunny' }] });
  });

  it.each([
    [{ role: 'tool', content: 'x' }, 'tool_call_id'],
    [{ role: 'assistant', content: null, tool_calls: [] }, 'neither text nor tool calls'],
    [
      { role: 'assistant', content: null, tool_calls: [call('search', '[1]', 'call_9')] },
      'tool "search" (call call_9) are not a JSON object',
    ],
    [
      { role: 'assistant', content: null, tool_calls: [call('search', '{"q":', 'call_9')] },
      'tool "search" (call call_9) are not JSON',
    ],
  ])('%j is an error that says why', (message, problem) => {
    expect(() => normalizeMessage(message)).toThrow(LegacyMessageError);
    expect(() => normalizeMessage(message)).toThrow(problem);
  });

  it('are told from the new shape', () => {
    expect(isLegacyMessage({ role: 'user', content: 'x' })).toBe(true);
    expect(isLegacyMessage({ role: 'assistant', content: null, tool_calls: [] })).toBe(true);
    expect(isLegacyMessage({ role: 'user', content: [{ type: 'text', text: 'x' }] })).toBe(false);
    expect(isLegacyMessage('x')).toBe(false);
  });

  it('leave a message that is already one as it is', () => {
    const message = user('Hi');
    expect(normalizeMessage(message)).toBe(message);
    expect(normalizeMessage(message.raw).raw).toBe(message.raw);
  });

  it('convert to blocks without making a message', () => {
    expect(legacyToContentBlocks({ role: 'user', content: 'Hi' })).toEqual([{ type: 'text', text: 'Hi' }]);
  });
});
