import { canonical, diffPrefix, type Message, MessageList, toolResult, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS, chat, newest } from '../matrix/apis.ts';
import { Talk } from '../matrix/talk.ts';
import { accepted, inner, reloaded } from './kit.ts';

const BIG = '{ "order":2512292042121000001,"ratio":1.0, "b":1,"a":2 }';

describe.each(APIS.map((api) => ({ id: api.id, api })))('numbers and spellings, $id', ({ api }) => {
  const target = { api, model: newest(api) };

  function talked(): Talk {
    const talk = new Talk().say(user('Order'));
    const reply = talk.answer(target, { calls: [{ args: BIG }] });
    return talk.say(toolResult(reply.toolUses[0]!.id, 'ordered'));
  }

  test('integers above 2^53 are rounded (earendil-works/pi#8943)', () => {
    const talk = talked();
    expect(talk.messages[1]!.toolUses[0]!.rawParameters).toBe(BIG);
    expect(talk.write(target, {}, reloaded(talk.messages)).body).toContain('2512292042121000001');
    for (const other of APIS) {
      const { body } = talk.write({ api: other });
      const [call] = other.dialect.readRequest(body).messages.flatMap(({ toolUses }) => toolUses);
      expect(canonical(call!.rawParameters)).toBe(canonical(BIG));
    }
  });

  test('tool arguments come back in another order, and the cache misses (OpenRouterTeam/ai-sdk-provider#171)', () => {
    const talk = talked();
    const { body } = talk.write(target, {}, reloaded(talk.messages));
    expect(body).toContain(inner(talk.messages[1]!.raw));
    expect(body.includes(BIG) || body.includes(JSON.stringify(BIG))).toBe(true);
  });

  test('a request does not begin with the bytes of the one before (BerriAI/litellm#27337)', () => {
    const talk = new Talk();
    const bodies: string[] = [];
    const write = (messages: readonly Message[]) => bodies.push(talk.write(target, { cache: [-1] }, messages).body);
    for (let turn = 0; turn < 10; turn++) {
      talk.say(user(`Question ${turn}`));
      write(talk.messages);
      const reply = talk.answer(target, { thought: 'hm', text: 'Let me look', calls: [{ args: BIG }, {}] });
      talk.say(...reply.toolUses.map(({ id }) => toolResult(id, `found ${turn}`)));
      // One from the live objects, one from what a page loads.
      write(turn % 2 ? talk.messages : reloaded(talk.messages));
      talk.answer(target, { thought: 'so', text: `Answer ${turn}` });
    }
    bodies.slice(1).forEach((body, index) => {
      expect(diffPrefix(bodies[index]!, body)).toBeUndefined();
    });
  });

  test('shuffled tools evict the cache, and nobody says so (NousResearch/hermes-agent#27339)', () => {
    const tools = ['b', 'a', 'c'].map((name) => ({ name, parameters: '{"type":"object","x":1.0}' }));
    const talk = new Talk().say(user('Look'));
    const first = talk.write(target, { tools });
    expect(first.verdict, first.body).toEqual(accepted);
    const named = api.dialect.readRequest(first.body).tools.map((tool) => ('name' in tool ? tool.name : ''));
    expect(named).toEqual(['b', 'a', 'c']);
    talk.answer(target, { text: 'Found' }, { tools });
    talk.say(user('Thanks'));
    expect(diffPrefix(first.body, talk.write(target, { tools }).body)).toBeUndefined();
    expect(diffPrefix(first.body, talk.write(target, { tools: tools.toReversed() }).body)).toMatchObject({
      part: 'tools',
    });
  });

  test('stripped reasoning evicts the cache (anomalyco/opencode#28333)', () => {
    const talk = new Talk().say(user('Think'));
    talk.answer(target, { thought: 'hm', text: 'Done' });
    const first = talk.say(user('More')).write(target).body;
    talk.answer(target, { thought: 'so', text: 'Done again' });
    const next = talk.say(user('Thanks')).write(target).body;
    expect(diffPrefix(first, next)).toBeUndefined();
    expect(diffPrefix(first, first.replace('"hm"', '"ha"'))).toMatchObject({ part: 'messages', index: 1 });
  });

  test('an old chat fails to load after its tool changed (vercel/ai#19358)', () => {
    const talk = talked();
    const loaded = reloaded(talk.messages);
    expect(loaded.map(({ content }) => content)).toEqual(talk.messages.map(({ content }) => content));
    const renamed = [{ name: 'place_order', parameters: { type: 'object', required: ['sku'] } }];
    const sent = talk.write(target, { tools: renamed }, loaded);
    expect(sent.verdict, sent.body).toEqual(accepted);
    expect(sent.body).toContain(inner(talk.messages[1]!.raw));
    expect(sent.losses).toEqual([]);
  });

  test('what is shown, stored and sent are three kinds of message (vercel/ai#7180)', () => {
    const talk = talked();
    const [, reply] = talk.messages;
    const [, stored] = MessageList.fromJSON(JSON.stringify(new MessageList(talk.messages)));
    const sent = api.dialect.readRequest(talk.write(target).body).messages.find(({ role }) => role === 'assistant');
    for (const message of [reply!, stored!, sent!]) {
      expect(message.content).toEqual(reply!.content);
      expect(inner(message.raw)).toBe(inner(reply!.raw));
    }
  });
});

test('a message without parts cannot be loaded (vercel/ai#17219)', () => {
  const empty = chat.dialect.readResponse(
    '{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":null},"finish_reason":"stop"}]}',
  ).message;
  const [, loaded] = reloaded([user('Hello'), empty]);
  expect(loaded!.raw).toBe(empty.raw);
  for (const api of APIS)
    expect(new Talk().write({ api }, {}, [user('Hello'), loaded!, user('So?')]).verdict).toEqual(accepted);
});
