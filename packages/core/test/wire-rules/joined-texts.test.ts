import {
  anthropicMessages,
  assistant,
  googleGenerateContent,
  type Message,
  openaiChat,
  openaiResponses,
  system,
  toolResult,
  user,
  writeRequest,
} from '@skein/core';
import { describe, expect, test } from 'vitest';
import { chat } from '../matrix/apis.ts';
import { elsewhere } from '../matrix/elsewhere.ts';

const text = (words: string) => ({ type: 'text', text: words }) as const;
const use = (id: string) => ({ type: 'tool-use', id, name: 'book', parameters: {}, rawParameters: '{}' }) as const;
const results = [toolResult('call_1', 'found'), toolResult('call_2', 'booked')];
const reordered = expect.objectContaining({ kind: 'rewritten', message: 1, reason: 'reordered' });

const toChat = (messages: readonly Message[], strict = true) => {
  const written = writeRequest(openaiChat, { model: 'gpt-5.2', messages, strict });
  return { ...written, sent: JSON.parse(written.body).messages as { role: string; content: unknown }[] };
};

describe('chat completions have one text before the calls', () => {
  test('text, call, text, call: the texts stay apart, and that their order is lost is told', () => {
    const between = assistant([text('First I look.'), use('call_1'), text('Then I book.'), use('call_2')]);
    const { sent, losses } = toChat([user('Go'), between, ...results]);
    expect(sent[1]!.content).toBe('First I look.\n\nThen I book.');
    expect(losses).toEqual([reordered]);
  });

  test('one text before the calls is in order', () => {
    const { sent, losses } = toChat([
      user('Go'),
      assistant([text('I look.'), use('call_1'), use('call_2')]),
      ...results,
    ]);
    expect(sent[1]!.content).toBe('I look.');
    expect(losses).toEqual([]);
  });

  test('a text that a provider cut by its sources stays one sentence', () => {
    const cited =
      '[{"type":"text","text":"The sky is "},{"type":"text","text":"blue","citations":[{"type":"char_location"}]},{"type":"text","text":"."}]';
    const reply = anthropicMessages.parseMessage(`{"role":"assistant","content":${cited}}`);
    const { sent, losses } = toChat([user('Which colour?'), reply, user('Thanks')], false);
    expect(sent[1]!.content).toBe('The sky is blue.');
    expect(losses.map(({ reason }) => reason)).toEqual(['citations']);
  });

  test('texts with thinking or a search between them stay apart', () => {
    const native = '{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}';
    const reply = anthropicMessages.parseMessage(
      `{"role":"assistant","content":[{"type":"text","text":"Let me see."},${native},{"type":"text","text":"It is blue."}]}`,
    );
    const { body } = writeRequest(openaiChat, { model: 'gpt-5.2', messages: [user('Which?'), reply, user('Thanks')] });
    expect(JSON.parse(body).messages[1].content).toBe('Let me see.\n\nIt is blue.');
  });
});

test('the instructions of Responses keep the blocks of a system message apart', () => {
  const twice = system([text('Be brief.'), text('Be kind.')]);
  const { body, losses } = writeRequest(openaiResponses, { model: 'gpt-5.2', messages: [twice, user('Hi')] });
  expect(JSON.parse(body).instructions).toBe('Be brief.\n\nBe kind.');
  expect(losses).toEqual([]);
});

test("Google's results keep their blocks apart", () => {
  const messages = [user('Go'), assistant([use('call_1')]), toolResult('call_1', [text('one'), text('two')])];
  const { body } = writeRequest(googleGenerateContent, { model: 'gemini-2.5-flash', messages });
  expect(JSON.parse(body).contents[2].parts[0].functionResponse.response).toEqual({ output: 'one\n\ntwo' });
});

test('a late result that is told as text keeps its blocks apart', () => {
  const late = toolResult('call_9', [text('one'), text('two')]);
  const { body } = writeRequest(openaiChat, { model: 'gpt-5.2', messages: [user('Go'), late, user('And?')] });
  expect(JSON.parse(body).messages[1].content).toContain(':\none\n\ntwo');
});

test('a system message that becomes user text keeps its blocks apart', () => {
  const messages = [user('Hi'), assistant('Hello'), system([text('Be brief.'), text('Be kind.')]), user('And?')];
  const { body } = writeRequest(anthropicMessages, { model: 'claude-fable-5-1', messages });
  expect(body).toContain('Be brief.\\n\\nBe kind.');
});

test('words before the results of a message that go behind them: that the order is lost is told', () => {
  const mixed = anthropicMessages.parseMessage(
    '{"role":"user","content":[{"type":"text","text":"Here."},{"type":"tool_result","tool_use_id":"call_1","content":"found"}]}',
    { issuer: elsewhere(chat).issuer },
  );
  const { sent, losses } = toChat([user('Go'), assistant([use('call_1')]), mixed]);
  expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(losses).toEqual([expect.objectContaining({ kind: 'rewritten', message: 2, reason: 'reordered' })]);
});
