import { describe, expect, it } from 'vitest';
import {
  anthropicMessages,
  assistant,
  dialect,
  LossError,
  MessageList,
  normalizeMessage,
  openaiChat,
  openaiResponses,
  toolResult,
  user,
  writeRequest,
} from '../../src/index.ts';

const MODEL = 'claude-opus-5-5';
const thinker = assistant([
  { type: 'reasoning', text: 'hm', redacted: false },
  { type: 'text', text: 'Hi' },
]);

describe('what one request says of its losses, the next says too', () => {
  const first = writeRequest(anthropicMessages, { model: MODEL, messages: [user('a'), thinker, user('b')] });
  const messages = [user('a'), thinker, user('b'), assistant('c'), user('d')];

  it('losses of messages that are sent again as they were are reported again', () => {
    const again = writeRequest(anthropicMessages, { model: MODEL, messages, previous: first.manifest });
    const anew = writeRequest(anthropicMessages, { model: MODEL, messages });
    expect(again.losses).toEqual(anew.losses);
    expect(again.body).toBe(anew.body);
  });

  it('strict mode counts them too', () => {
    const strict = { model: MODEL, messages, previous: first.manifest, strict: true };
    expect(() => writeRequest(anthropicMessages, strict)).toThrow(LossError);
  });

  it('a field that is refused by now is not sent again', () => {
    const own = anthropicMessages.parseMessage('{"role":"assistant","content":[{"type":"text","text":"x","odd":1}]}');
    const history = [user('a'), own, user('b')];
    const { manifest } = writeRequest(anthropicMessages, { model: MODEL, messages: history });
    const { home } = anthropicMessages;
    const provider = { ...home, policies: { ...home.policies, refusedFields: ['content.*.odd'] } };
    const { body } = writeRequest(anthropicMessages, { model: MODEL, messages: history, provider, previous: manifest });
    expect(body).not.toContain('odd');
  });
});

describe('a message that cannot be sent at all', () => {
  it('is reported by what was in it, not as empty', () => {
    const thought = assistant([{ type: 'reasoning', text: 'hm', redacted: false }]);
    const { losses } = writeRequest(openaiChat, { model: 'm', messages: [user('a'), thought, user('b')] });
    expect(losses).toEqual([{ kind: 'dropped', message: 1, path: 'content[0]', reason: 'foreign-reasoning' }]);
  });
});

describe('the prefix hash', () => {
  it.each(['anthropic-messages', 'openai-chat', 'google-generatecontent'])(
    'is over texts, however they are held (%s)',
    (id) => {
      const d = dialect(id);
      const first = writeRequest(d, { model: MODEL, messages: [user('Hello')] });
      const read = d.readRequest(first.body);
      const second = writeRequest(d, { model: MODEL, messages: read.messages });
      expect(second.body).toBe(first.body);
      expect(second.manifest.prefix).toBe(first.manifest.prefix);
    },
  );
});

describe('a cache point', () => {
  it('on a message that is not sent does not vanish in silence', () => {
    const messages = [user('a'), assistant(''), user('b')];
    const { body, losses } = writeRequest(anthropicMessages, { model: MODEL, messages, cache: [1, 2] });
    expect(body.match(/cache_control/g)).toHaveLength(1);
    expect(losses).toContainEqual({ kind: 'dropped', message: 1, path: '', reason: 'cache-marker' });
    expect(losses).not.toContainEqual(expect.objectContaining({ message: 2 }));
  });
});

describe('a failed tool', () => {
  it('is told as failed where the protocol has no flag for it', () => {
    const call = { type: 'tool-use', id: 'c1', name: 'look', parameters: {}, rawParameters: '{}' } as const;
    const messages = [user('a'), assistant([call]), toolResult('c1', 'boom', { isError: true })];
    expect(writeRequest(openaiResponses, { model: 'm', messages }).body).toContain('"output":"Error: boom"');
    expect(writeRequest(openaiChat, { model: 'm', messages }).body).toContain('"content":"Error: boom"');
  });
});

describe('wrong input', () => {
  it('names what is wrong instead of sending it', () => {
    const write = (request: object) => () =>
      writeRequest(openaiChat, { model: 'm', messages: [user('a')], ...request });
    expect(write({ model: '' })).toThrow('"model"');
    expect(write({ messages: [{ role: 'user', content: 'x' }] })).toThrow('messages[0] is not a message');
    expect(write({ tools: [{ name: 'f', parameters: 'garbage' }] })).toThrow('tools[0] (f)');
    expect(write({ tools: [{ name: 'f' }] })).toThrow('tools[0] (f)');
    expect(write({ params: { maxTokens: Number.NaN } })).toThrow('params.maxTokens');
    expect(() => toolResult('c', { temperature: 22 } as never)).toThrow('JSON.stringify');
    expect(() => user([{ type: 'smell' } as never])).toThrow('is not a content block');
  });

  it.each(['anthropic-messages', 'google-generatecontent', 'openai-chat', 'openai-responses'])(
    'no messages at all are an error, not a made-up question: %s',
    (id) => {
      for (const strict of [false, true])
        expect(() => writeRequest(dialect(id), { model: 'm', messages: [], system: 'Be kind.', strict })).toThrow(
          '"messages" is empty',
        );
    },
  );

  it('a saved message is not taken for a message', () => {
    expect(() => normalizeMessage(JSON.parse(JSON.stringify(user('hi'))))).toThrow();
  });

  it('an undefined issuer is the home issuer, and the list still loads', () => {
    const message = anthropicMessages.parseMessage('{"role":"user","content":"x"}', { issuer: undefined } as never);
    expect(MessageList.fromJSON(JSON.stringify(new MessageList([message]))).at(0)?.origin.issuer).toBe(
      'api.anthropic.com',
    );
  });

  it('a list can be added to itself', () => {
    const list = new MessageList([user('a'), user('b')]);
    expect(list.extend(list).length).toBe(4);
  });
});
