import { describe, expect, it } from 'vitest';
import { anthropicMessages, writeRequest } from '../dialects/index.ts';
import { assistant, system, toolResult, user } from '../message/index.ts';
import { MessageList, MessageListDeserializationError } from './index.ts';

const native = anthropicMessages.parseMessage(
  '{"role": "assistant", "content":[{"type":"text","text":"Hi\\u00e9","x":1.0}]}',
  { model: 'claude-sonnet-4-5', prefix: 'p' },
);

describe('a list of messages', () => {
  it('grows, copies and counts from both ends', () => {
    const list = new MessageList([user('a')]).append(assistant('b')).extend([user('c'), toolResult('x', 'd')]);
    const copy = list.copy().append(user('e'));
    expect([list.length, copy.length]).toEqual([4, 5]);
    expect([list.at(0)?.text, list.at(-1)?.text, list.at(9)]).toEqual(['a', 'd', undefined]);
    expect(list.withRole('user').map((message) => message.text)).toEqual(['a', 'c']);
    expect([...list].map((message) => message.role)).toEqual(['user', 'assistant', 'user', 'tool']);
  });

  it('is read from the bytes of its text, and never with characters replaced', () => {
    const text = JSON.stringify(new MessageList([user('Grüß dich')]));
    expect(MessageList.fromJSON(new TextEncoder().encode(text)).at(0)?.text).toBe('Grüß dich');
    expect(() => MessageList.fromJSON(Buffer.from(text, 'latin1'))).toThrow('the bytes are not UTF-8 text');
  });

  it('takes messages only: anything else could be saved, and not be loaded', () => {
    const list = new MessageList([user('a')]);
    for (const wrong of ['b', null, { role: 'user', content: 'b' }] as never[]) {
      expect(() => list.append(wrong)).toThrow('is not a message');
      expect(() => list.extend([user('b'), wrong])).toThrow('messages[1] is not a message');
      expect(() => list.insert(0, wrong)).toThrow('is not a message');
      expect(() => new MessageList([wrong])).toThrow('is not a message');
    }
    expect(list.length).toBe(1);
  });

  it('comes back from its saved form with the exact texts and origins', () => {
    const list = new MessageList([user('a'), native, toolResult('x', '')]);
    const loaded = MessageList.fromJSON(JSON.stringify(list, null, 2));
    expect([...loaded].map(({ raw }) => raw)).toEqual([...list].map(({ raw }) => raw));
    expect([...loaded].map(({ origin }) => origin)).toEqual([...list].map(({ origin }) => origin));
    expect([...loaded].map(({ content }) => content)).toEqual([...list].map(({ content }) => content));
    expect([...loaded].map(({ facts }) => facts)).toEqual([...list].map(({ facts }) => facts));
  });

  it('is filtered by kind, and inserted into', () => {
    const call = { type: 'tool-use', id: 'x', name: 'f', parameters: {}, rawParameters: '{}' } as const;
    const image = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } } as const;
    const list = new MessageList([user('a'), assistant([call]), toolResult('x', 'd'), user([image])]);
    expect(list.withBlock('tool-use')).toEqual([list.at(1)]);
    expect(list.withBlock('tool-result')).toEqual([list.at(2)]);
    expect(list.withBlock('media')).toEqual([list.at(-1)]);
    expect([...list.insert(1, user('b'))].map(({ text }) => text)).toEqual(['a', 'b', '', 'd', '']);
  });

  it('saves every kind of message, media and unknown blocks included, with its checkpoints', () => {
    const sources = [
      { kind: 'base64', data: 'AA==' },
      { kind: 'url', url: 'https://x.test/a' },
      { kind: 'file', id: 'file-1' },
    ] as const;
    const media = sources.map((source) => ({ type: 'media', mediaType: 'image/png', source, name: 'n' }) as const);
    const list = new MessageList([
      system('s'),
      user([...media, { type: 'text', text: '\u2028😀' }]),
      assistant([
        { type: 'reasoning', text: 'hm', redacted: false },
        { type: 'refusal', text: 'no' },
        { type: 'unknown', native: '{"type":"future","n":1.0}' },
      ]),
      toolResult('x', media, { isError: true }),
      native,
    ]);
    list.checkpoints = [{ upTo: 2, digest: list.at(1)!.facts.digest, replacement: [user('so far').raw] }];
    const loaded = MessageList.fromJSON(JSON.stringify(list));
    expect([...loaded].map(({ raw }) => raw)).toEqual([...list].map(({ raw }) => raw));
    expect([...loaded].map(({ content }) => content)).toEqual([...list].map(({ content }) => content));
    expect(loaded.checkpoints).toEqual(list.checkpoints);
    expect(loaded.copy().checkpoints).toEqual(list.checkpoints);
    const damaged = { ...list.toJSON(), checkpoints: [{ upTo: 'x' }, 7] };
    expect(MessageList.fromJSON(damaged).checkpoints).toEqual([]);
  });

  it.each([
    ['openai-chat', '{"role":"assistant","content":"Yo","n":1.0}'],
    [
      'openai-responses',
      '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yo","n":1.0}]}',
    ],
    ['anthropic-messages', '{"role":"assistant","content":[{"type":"text","text":"Yo","n":1.0}]}'],
    ['google-generatecontent', '{"role":"model","parts":[{"text":"Yo","n":1.0}]}'],
  ])('reads a bare array of %s with the exact texts', (dialect, raw) => {
    const message = MessageList.fromJSON(`[ ${raw} ]`, { dialect }).at(0);
    expect(message).toMatchObject({ raw, role: 'assistant', text: 'Yo', origin: { dialect } });
  });

  it('keeps the manifest of the last request, so that what was sent is sent again as it was', () => {
    const list = new MessageList([user('a'), native, user('b')]);
    const first = writeRequest(anthropicMessages, { model: 'claude-sonnet-4-5', messages: list });
    list.manifest = first.manifest;
    const loaded = MessageList.fromJSON(JSON.stringify(list)).append(assistant('c')).append(user('d'));
    const next = { model: 'claude-sonnet-4-5', messages: loaded };
    const again = writeRequest(anthropicMessages, { ...next, previous: loaded.manifest! });
    expect(again.body).toBe(writeRequest(anthropicMessages, next).body);
    expect(again.manifest.elements[0]).toBe(loaded.manifest!.elements[0]);
    expect(again.manifest.prefix).toBe(writeRequest(anthropicMessages, next).manifest.prefix);
  });

  it('makes facts again that a later rule would make differently', () => {
    const saved = JSON.parse(JSON.stringify(new MessageList([native])));
    saved.facts = 99;
    saved.messages[0].facts = { digest: 'stale', calls: [], results: [], needs: [], role: 'user' };
    expect(MessageList.fromJSON(saved).at(0)?.facts).toEqual(native.facts);
  });

  it('reads a bare array only when told what it is', () => {
    const text = '[{"role":"user","content":"Hi"}, {"role":"assistant","content":"Yo","n":1.0}]';
    expect(() => MessageList.fromJSON(text)).toThrow(/give \{ dialect \}/);
    expect(MessageList.fromJSON(text, { dialect: 'openai-chat' }).at(1)?.raw).toBe(
      '{"role":"assistant","content":"Yo","n":1.0}',
    );
    expect(MessageList.fromJSON(JSON.parse(text), { dialect: 'legacy' }).at(0)).toMatchObject({
      role: 'user',
      text: 'Hi',
    });
  });

  it.each([
    ['{"format":"skein/messages","version":7}', 'version 7 is not supported', undefined],
    ['{"format":"skein/messages","version":1,"origins":[],"messages":[{"raw":"{}","origin":3}]}', 'origin 3', 0],
    [
      '{"format":"skein/messages","version":1,"origins":[{"dialect":"nope","issuer":"x"}],"messages":[{"raw":"{}","origin":0}]}',
      'Unknown dialect "nope"',
      0,
    ],
    [
      '{"format":"skein/messages","version":1,"origins":[{"dialect":"blocks","issuer":"skein"}],"messages":[{"raw":"{","origin":0}]}',
      'Invalid JSON',
      0,
    ],
    ['{"messages":[]}', 'expected {"format":"skein/messages"', undefined],
    ['{', 'Invalid JSON at offset 1', undefined],
  ])('%s is an error with index and reason', (text, problem, index) => {
    try {
      MessageList.fromJSON(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(MessageListDeserializationError);
      expect((error as MessageListDeserializationError).message).toContain(problem);
      expect((error as MessageListDeserializationError).index).toBe(index);
    }
  });
});
