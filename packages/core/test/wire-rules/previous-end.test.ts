import { type Message, provider, system, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { anthropic, chat } from '../matrix/apis.ts';
import { Talk, type Target } from '../matrix/talk.ts';

const accepted = { refusal: undefined, warnings: [] };
const claude: Target = { api: anthropic, model: 'claude-opus-4-8' };
const said = (content: string): Message =>
  anthropic.dialect.parseMessage(`{"role":"assistant","content":[${content}]}`);
const nothing = said('');
const search = '{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"cats"}}';

/** What is sent after a request that got no answer worth keeping, with and without the manifest of that request. */
function next(target: Target, asked: readonly Message[], behind: readonly Message[]) {
  const talk = new Talk();
  const { manifest } = talk.write(target, {}, asked);
  const messages = [...asked, ...behind];
  return [{}, { previous: manifest }].map((options) => talk.write(target, options, messages));
}

describe('what only holds at the end of a request is not sent again when something else follows', () => {
  test('a system message that no answer followed', () => {
    const asked = [user('Hi'), system('Be brief')];
    for (const { verdict, body, losses } of next(claude, asked, [nothing, user('Are you there?')])) {
      expect(verdict, body).toEqual(accepted);
      expect(losses).toContainEqual(
        expect.objectContaining({ kind: 'rewritten', message: 1, reason: 'inline-system' }),
      );
    }
  });

  test('a paused turn whose continuation brought nothing', () => {
    const asked = [user('Cats?'), said(search)];
    for (const { verdict, body, losses } of next(claude, asked, [nothing, user('Never mind')])) {
      expect(verdict, body).toEqual(accepted);
      expect(body).not.toContain('srvtoolu_1');
      expect(losses).toContainEqual(expect.objectContaining({ kind: 'dropped', message: 1, reason: 'server-tool' }));
    }
  });

  test('a question that was not answered, where roles have to take turns', () => {
    const strict: Target = { api: chat, model: 'a-model', provider: provider('lmstudio') };
    for (const { body, losses } of next(strict, [user('Hi')], [user('Are you there?')])) {
      const { messages } = JSON.parse(body) as { messages: { role: string }[] };
      expect(messages.map(({ role }) => role)).toEqual(['user']);
      expect(losses).toContainEqual(expect.objectContaining({ kind: 'rewritten', message: 1, reason: 'merged' }));
    }
  });
});

describe('a system message becomes user text', () => {
  test('when the answer behind it was a call of a tool of the provider that nobody will answer', () => {
    const { verdict, body, losses } = new Talk().write(claude, {}, [
      user('Cats?'),
      system('Be brief'),
      said(search),
      user('Never mind'),
    ]);
    expect(verdict, body).toEqual(accepted);
    expect(losses.map(({ message, reason }) => [message, reason])).toEqual(
      expect.arrayContaining([
        [1, 'inline-system'],
        [2, 'server-tool'],
      ]),
    );
  });
});
