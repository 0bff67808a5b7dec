import { LossError, type Message, toolResult, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS, anthropic, chat, google, newest, responses } from '../matrix/apis.ts';
import { elsewhere } from '../matrix/elsewhere.ts';
import { secret } from '../matrix/said.ts';
import { Talk } from '../matrix/talk.ts';
import { accepted, inner } from './kit.ts';

const PAIRS = APIS.flatMap((a) => APIS.filter((b) => b !== a).map((b) => ({ a, b, from: a.id, to: b.id })));

const results = (reply: Message): Message[] => reply.toolUses.map(({ id }) => toolResult(id, 'found'));

describe('switching the provider in mid-conversation', () => {
  test.each(PAIRS)('an invalid signature after a switch: $from to $to and back (cline/cline#7620)', ({ a, b }) => {
    const talk = new Talk().say(user('Think'));
    const first = talk.answer({ api: a }, { thought: 'my own thought', text: 'Let me look', calls: [{}] });
    talk.say(...results(first));
    const there = talk.write({ api: b });
    expect(there.verdict, there.body).toEqual(accepted);
    expect(there.body).not.toContain(secret(a, 0));
    talk.answer({ api: b }, { thought: 'another thought', text: 'Done' });
    const back = talk.say(user('Thanks')).write({ api: a });
    expect(back.verdict, back.body).toEqual(accepted);
    expect(back.body).toContain(inner(first.raw));
    expect(back.body).not.toContain(secret(b, 1));
  });

  test.each(PAIRS)('foreign thoughts are shown as text: $from to $to (pydantic/pydantic-ai#5869)', ({ a, b }) => {
    const talk = new Talk().say(user('Think'));
    talk.answer({ api: a }, { thought: 'my own thought', text: 'Done' });
    const { body, losses } = talk.say(user('Thanks')).write({ api: b });
    expect(body).not.toContain('my own thought');
    expect(body).not.toMatch(/<thinking>|<think>/);
    expect(losses).toContainEqual(
      expect.objectContaining({ kind: 'dropped', message: 1, reason: 'foreign-reasoning' }),
    );
  });

  test('thinking that became text is refused as an attempt to extract reasoning (can1357/oh-my-pi#7241)', () => {
    const talk = new Talk().say(user('Think'));
    talk.answer({ api: chat, provider: elsewhere(chat) }, { thought: 'my own thought', text: 'Done' });
    const { body } = talk.say(user('Thanks')).write({ api: anthropic });
    const { messages } = anthropic.dialect.readRequest(body);
    expect(messages.map(({ text }) => text)).toEqual(['Think', 'Done', 'Thanks']);
  });

  test('thinking is stripped in silence (BerriAI/litellm#42551)', () => {
    const talk = new Talk().say(user('Think'));
    talk.answer({ api: anthropic, model: 'claude-fable-5-1' }, { thought: 'hm', text: 'Done' });
    talk.say(user('Thanks'));
    const other = { api: anthropic, model: 'claude-opus-4-8' };
    expect(talk.write(other).losses).toEqual([
      expect.objectContaining({ kind: 'dropped', message: 1, path: 'content[0]', reason: 'model-bound' }),
    ]);
    expect(() => talk.write(other, { strict: true })).toThrow(LossError);
  });

  test('reasoning items are forwarded to an API that has none (langchain-ai/langchainjs#11049)', () => {
    const talk = new Talk().say(user('Think'));
    talk.answer({ api: responses }, { thought: 'hm', text: 'Done' });
    const { body, verdict, losses } = talk.say(user('Thanks')).write({ api: chat });
    expect(verdict, body).toEqual(accepted);
    expect(body).not.toContain('"reasoning"');
    expect(losses.map(({ reason }) => reason)).toContain('foreign-reasoning');
  });

  test('Gemini to OpenAI to Gemini fails on reasoning blocks (langchain-ai/langchain#34933)', () => {
    const talk = new Talk();
    for (const api of [google, responses, google, chat, google]) {
      talk.say(user(`To ${api.id}`));
      const reply = talk.answer({ api }, { thought: 'hm', calls: [{}, {}] });
      talk.say(...results(reply));
      talk.answer({ api }, { thought: 'so', text: 'Done' });
    }
    expect(talk.say(user('Thanks')).write({ api: google }).verdict).toEqual(accepted);
  });
});

describe('tool ids that the target refuses', () => {
  const ids = ['functions.lookup:0', `call_${'x'.repeat(78)}`, 'a|b', 'call_fine'];

  function called(): Talk {
    const talk = new Talk().say(user('Look'));
    talk.say(...results(talk.answer({ api: chat, provider: elsewhere(chat) }, { calls: ids.map((id) => ({ id })) })));
    return talk;
  }

  test.each(APIS)('long tool call ids break the conversation: $id (vercel/ai#5171)', (api) => {
    const sent = called().write({ api, model: newest(api) });
    expect(sent.verdict, sent.body).toEqual(accepted);
    expect(called().write({ api, model: newest(api) }).body).toBe(sent.body);
    const { messages } = api.dialect.readRequest(sent.body);
    const calls = messages.flatMap(({ toolUses }) => toolUses.map(({ id }) => id));
    expect(messages.flatMap(({ toolResults }) => toolResults.map(({ toolCallId }) => toolCallId))).toEqual(calls);
    expect(calls[3]).toBe('call_fine');
  });

  test('ids like functions.x:0 are rejected (langchain-ai/langchain#37756)', () => {
    const { body } = called().write({ api: anthropic });
    const sent = [...body.matchAll(/"(?:tool_use_id|id)":"([^"]*)","(?:name|content)/g)].map(([, id]) => id);
    expect(sent).toHaveLength(8);
    for (const id of sent) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(sent.slice(0, 4)).toEqual(sent.slice(4));
  });
});
