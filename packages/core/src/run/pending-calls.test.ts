import { describe, expect, it } from 'vitest';
import { anthropicMessages, googleGenerateContent } from '../dialects/index.ts';
import { assistant, type Message, toolResult, user } from '../message/index.ts';
import { pendingCalls } from './pending-calls.ts';

const call = (id: string) => ({ type: 'tool-use', id, name: 'f', parameters: {}, rawParameters: '{}' }) as const;
const calling = assistant([call('a'), call('b')]);
const ids = (...history: readonly Message[]) => pendingCalls(history).map(({ id }) => id);

describe('calls are pending', () => {
  it('when nothing but results stands behind them', () => {
    expect(ids(user('?'), calling)).toEqual(['a', 'b']);
    expect(ids(user('?'), calling, toolResult('a', ''))).toEqual(['b']);
    expect(ids(user('?'), calling, toolResult('b', ''), toolResult('a', ''))).toEqual([]);
  });

  it('not when something was said since', () => {
    expect(ids(calling, user('Never mind.'))).toEqual([]);
    expect(ids(calling, toolResult('a', ''), assistant('Well.'))).toEqual([]);
  });

  it('not when their message was cut', () => {
    const raw = '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}';
    expect(ids(anthropicMessages.parseMessage(raw))).toEqual(['a']);
    expect(ids(anthropicMessages.parseMessage(raw, { cut: true }))).toEqual([]);
  });

  it('not when they are answered in the words of a provider', () => {
    const results = anthropicMessages.parseMessage(
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"}]}',
    );
    expect(ids(calling, results)).toEqual(['b']);
    const called = googleGenerateContent.parseMessage(
      '{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}',
    );
    const result = googleGenerateContent.parseMessage(
      '{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"ok":true}}}]}',
    );
    expect(ids(called)).toHaveLength(1);
    expect(ids(called, result)).toEqual([]);
  });

  it('of an empty history: none', () => {
    expect(ids()).toEqual([]);
  });
});
