import { anthropicMessages, diffPrefix, user, writeRequest } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { anthropic, chat, google, responses } from '../matrix/apis.ts';
import { Talk } from '../matrix/talk.ts';

const accepted = { refusal: undefined, warnings: [] };
const markers = (body: string): number => body.match(/"cache_control"/g)?.length ?? 0;

const CLIENT = `{"model":"claude-opus-4-8","max_tokens":10,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],
"tools":[{"name":"lookup","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],
"messages":[{"role":"user","content":[{"type":"text","text":"One?","cache_control":{"type":"ephemeral"}}]},
{"role":"assistant","content":[{"type":"text","text":"Yes","cache_control":{"type":"ephemeral"}}]},
{"role":"user","content":[{"type":"text","text":"Two?" ,"cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}`;

describe("a client's cache markers", () => {
  const { system, tools, messages, model } = anthropicMessages.readRequest(CLIENT);
  const request = { model: model!, system: [system!], tools, messages };

  test('are stored as they came, and left out of what is sent', () => {
    expect(messages.map(({ raw }) => markers(raw))).toEqual([1, 1, 1]);
    const { body, losses } = writeRequest(anthropicMessages, request);
    expect(markers(body)).toBe(0);
    expect(losses.filter(({ reason }) => reason === 'cache-marker').map(({ message }) => message)).toEqual(
      expect.arrayContaining([-1, 0, 1, 2]),
    );
    expect(anthropic.judge({ body })).toEqual(accepted);
  });

  test('do not count as a difference', () => {
    expect(diffPrefix(CLIENT, CLIENT.replaceAll(/ ?,"cache_control":\{[^}]*\}/g, ''))).toBeUndefined();
    expect(diffPrefix(CLIENT, CLIENT.replace('One?', 'Won?'))).toMatchObject({ part: 'messages', index: 0 });
  });

  test.each([
    [
      'an argument',
      '{"messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"cache_control":"?"}}]}]}',
    ],
    [
      'an argument in a list',
      '{"messages":[{"role":"assistant","content":[{"input":{"content":[{"cache_control":"?"}]}}]}]}',
    ],
    ['a schema', '{"tools":[{"name":"f","input_schema":{"properties":{"cache_control":{"type":"?"}}}}]}'],
    ['arguments of Gemini', '{"contents":[{"parts":[{"functionCall":{"args":{"cache_control":"?"}}}]}]}'],
  ])('data of that name is no marker: %s', (_, body) => {
    expect(diffPrefix(body, body.replace('?', 'other'))).toMatchObject({ index: 0 });
    expect(diffPrefix(body, body.replace(/"cache_control":("\?"|\{.*?\})/, ''))).toMatchObject({ index: 0 });
  });

  test('do not count inside a result, on a message or on a tool', () => {
    const marker = ',"cache_control":{"type":"ephemeral"}';
    const body = `{"tools":[{"name":"f"${marker}}],"messages":[{"role":"tool","content":"x"${marker}},{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"x"${marker}}]${marker}}]}]}`;
    expect(diffPrefix(body, body.replaceAll(marker, ''))).toBeUndefined();
  });

  test('do not count where they make a list of a plain system text', () => {
    const plain = { model: model!, system: 'Be brief.', messages };
    const marked = writeRequest(anthropicMessages, { ...plain, cache: ['system'] }).body;
    expect(markers(marked)).toBe(1);
    expect(diffPrefix(writeRequest(anthropicMessages, plain).body, marked)).toBeUndefined();
    const other = writeRequest(anthropicMessages, { ...plain, system: 'Be kind.' }).body;
    expect(diffPrefix(other, marked)).toMatchObject({ part: 'system', index: 0 });
  });

  test('make room for four of ours, from the front to the end', () => {
    const { body } = writeRequest(anthropicMessages, { ...request, cache: ['tools', 'system', 0, -1] });
    expect(markers(body)).toBe(4);
    expect(anthropic.judge({ body })).toEqual(accepted);
    const { messages: sent } = anthropicMessages.readRequest(body);
    expect(sent.map(({ raw }) => markers(raw))).toEqual([1, 0, 1]);
    expect(() => writeRequest(anthropicMessages, { ...request, cache: ['tools', 'system', 0, 1, 2] })).toThrow(
      RangeError,
    );
  });
});

describe('our cache markers', () => {
  test('counted from the end, they do not fail while the conversation is short', () => {
    const talk = new Talk().say(user('One?'));
    for (const api of [anthropic, chat]) {
      const { body, losses, verdict } = talk.write({ api }, { cache: [-2] });
      expect(verdict).toEqual(accepted);
      expect(markers(body)).toBe(0);
      expect(losses).toMatchObject([{ kind: 'dropped', message: -1, reason: 'cache-marker' }]);
    }
    const { body, losses } = talk.write({ api: anthropic }, { cache: ['system', -1, -2, -5] });
    expect(markers(body)).toBe(1);
    expect(losses.map(({ detail }) => detail)).toEqual(['-2', '-5']);
  });

  test('an index behind the last message is an error that names it', () => {
    const talk = new Talk().say(user('One?'));
    expect(() => talk.write({ api: anthropic }, { cache: [-2, 1] })).toThrow('There is no message 1 to place');
  });

  test('move along without parting one request from the next, and the prefix does not see them', () => {
    const talk = new Talk().say(user('One?'));
    const first = talk.write({ api: anthropic }, { system: 'Be brief.', cache: ['system', -1] });
    const plain = talk.write({ api: anthropic }, { system: 'Be brief.' });
    expect(first.manifest.prefix).toBe(plain.manifest.prefix);
    expect(first.manifest.start).toBe(plain.manifest.start);
    talk.answer({ api: anthropic }, { thought: 'hm', text: 'Yes' }, { system: 'Be brief.' });
    talk.say(user('Two?'));
    for (const previous of [undefined, first.manifest]) {
      const next = talk.write(
        { api: anthropic },
        { system: 'Be brief.', cache: ['system', -1], ...(previous && { previous }) },
      );
      expect(next.verdict, next.body).toEqual(accepted);
      expect(diffPrefix(first.body, next.body)).toBeUndefined();
      expect(markers(next.body)).toBe(2);
      expect(next.losses).toEqual([]);
    }
  });

  test.each([chat, google, responses])('$id has none, and says so', (api) => {
    const talk = new Talk().say(user('One?'));
    const sent = talk.write({ api }, { cache: [-1] });
    expect(sent.verdict).toEqual(accepted);
    expect(sent.body).toBe(talk.write({ api }).body);
    expect(sent.losses.map(({ reason }) => reason)).toEqual(['cache-marker']);
  });
});
