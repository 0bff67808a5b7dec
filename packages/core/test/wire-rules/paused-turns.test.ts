import { diffPrefix, type Message, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { anthropic } from '../matrix/apis.ts';
import { Talk } from '../matrix/talk.ts';

const accepted = { refusal: undefined, warnings: [] };
const target = { api: anthropic, model: 'claude-opus-4-8' };

const reply = (...blocks: string[]): Message =>
  anthropic.dialect.parseMessage(`{"role":"assistant","content":[${blocks.join(',')}]}`);
const text = '{"type":"text","text":"Let me search"}';
const search = '{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"cats"}}';
const found =
  '{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","encrypted_content":"ZW5j","title":"Cats","url":"https://example.com"}]}';
const answer = '{"type":"text","text":"Cats purr"}';

/** What a request sends; its judge has no memory of what was issued. */
function send(messages: readonly Message[], options = {}) {
  const sent = new Talk().write(target, options, messages);
  return { ...sent, verdict: anthropic.judge({ body: sent.body }) };
}

describe('a turn that pauses for a tool of the provider', () => {
  const paused = [user('Cats?'), reply(text, search)];

  test('is continued by sending it again as it is', () => {
    const { body, verdict, losses } = send(paused);
    expect(verdict, body).toEqual(accepted);
    expect(body).toContain(paused[1]!.raw);
    expect(losses).toEqual([]);
  });

  test('goes together with its continuation, which holds the result', () => {
    const first = send(paused);
    const whole = [...paused, reply(found, answer), user('Thanks')];
    for (const options of [{}, { previous: first.manifest }]) {
      const { body, verdict, losses } = send(whole, options);
      expect(verdict, body).toEqual(accepted);
      expect(diffPrefix(first.body, body)).toBeUndefined();
      expect(body).toContain(found);
      expect(losses).toEqual([]);
    }
  });

  test('loses its call when something else was said instead', () => {
    const first = send(paused);
    for (const options of [{}, { previous: first.manifest }]) {
      const { body, verdict, losses } = send([...paused, user('Never mind')], options);
      expect(verdict, body).toEqual(accepted);
      expect(body).toContain('Let me search');
      expect(body).not.toContain('srvtoolu_1');
      expect(losses).toEqual([
        expect.objectContaining({ kind: 'dropped', message: 1, path: 'content[1]', reason: 'server-tool' }),
      ]);
    }
  });

  test('leaves nothing behind when it held nothing else', () => {
    const { body, verdict, losses } = send([user('Cats?'), reply(search), user('Never mind')]);
    expect(verdict, body).toEqual(accepted);
    expect(losses).toEqual([expect.objectContaining({ kind: 'dropped', message: 1, reason: 'server-tool' })]);
  });

  test('leaves a result behind when it was compacted away', () => {
    const { body, verdict, losses } = send([user('So far: cats.'), reply(found, answer), user('Thanks')]);
    expect(verdict, body).toEqual(accepted);
    expect(body).toContain('Cats purr');
    expect(losses).toEqual([
      expect.objectContaining({ kind: 'dropped', message: 1, path: 'content[0]', reason: 'server-tool' }),
    ]);
  });
});

describe('a message that is to be continued', () => {
  const old = { api: anthropic, model: 'claude-sonnet-4-5' };

  test.each([
    ['a line break', 'one, \\n', 'one,'],
    ['escaped space', 'one,\\u0020\\u00a0', 'one,'],
    ['a backslash and an n', 'C:\\\\n', 'C:\\n'],
    ['a backslash, an r and space', 'C:\\\\r ', 'C:\\r'],
  ])('ends without white space: %s', (_, written, expected) => {
    const messages = [user('Count'), reply(`{"type":"text","text":"${written}"}`)];
    const sent = new Talk().write(old, {}, messages);
    expect(sent.verdict, sent.body).toEqual(accepted);
    expect(anthropic.dialect.readRequest(sent.body).messages[1]!.text).toBe(expected);
  });

  test('is left out when it is white space alone', () => {
    const sent = new Talk().write(old, {}, [user('Count'), reply('{"type":"text","text":" "}')]);
    expect(sent.verdict, sent.body).toEqual(accepted);
    expect(sent.losses).toContainEqual(expect.objectContaining({ message: 1, reason: 'empty' }));
  });
});
