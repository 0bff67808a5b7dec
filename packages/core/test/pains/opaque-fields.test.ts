import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { googleGenerateContent, MessageList, toolResult, user } from '@skein/core';
import { loadMessages, saveMessages } from '@skein/core/node';
import { describe, expect, test } from 'vitest';
import { APIS, anthropic, chat, google, newest } from '../matrix/apis.ts';
import { secret } from '../matrix/said.ts';
import { Talk } from '../matrix/talk.ts';
import { accepted, inner, reloaded } from './kit.ts';

const gemini = { api: google, model: 'gemini-3-pro' };

function geminiLoop(): Talk {
  const talk = new Talk().say(user('Look it up'));
  const reply = talk.answer(gemini, { thought: 'hm', calls: [{}, {}] });
  return talk.say(...reply.toolUses.map(({ id }) => toolResult(id, 'found')));
}

describe('opaque fields come back to their issuer', () => {
  test('a thought signature is lost between browser and server (TanStack/ai#403)', () => {
    const talk = geminiLoop();
    const server = reloaded(talk.messages);
    const browser = MessageList.fromJSON(JSON.parse(JSON.stringify(new MessageList(server))));
    const sent = talk.write(gemini, {}, [...browser]);
    expect(sent.verdict).toEqual(accepted);
    expect(sent.body).toContain(`"thoughtSignature":"${secret(google, 0)}"`);
    expect(sent.body).toContain(talk.messages[1]!.raw);
  });

  test('signatures are lost when a thread is loaded from the database (mastra-ai/mastra#10233)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skein-pains-'));
    try {
      const talk = geminiLoop();
      await saveMessages(join(folder, 'thread.json'), talk.messages);
      const loaded = [...(await loadMessages(join(folder, 'thread.json')))];
      expect(loaded.map(({ raw, origin }) => ({ raw, origin }))).toEqual(
        talk.messages.map(({ raw, origin }) => ({ raw, origin })),
      );
      const sent = talk.write(gemini, {}, loaded);
      expect(sent.verdict).toEqual(accepted);
      expect(sent.body).toContain(secret(google, 0));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('a loader guesses the shape of messages and picks the wrong converter (mastra-ai/mastra#10233)', () => {
    const bare = '[{"role":"user","parts":[{"text":"hi"}]}]';
    expect(() => MessageList.fromJSON(bare)).toThrow(/does not say what it is written in/);
    expect(MessageList.fromJSON(bare, { dialect: 'google-generatecontent' }).at(0)!.text).toBe('hi');
  });

  test('a call with arguments that break the schema loses its signature (vercel/ai#10560)', () => {
    const talk = new Talk().say(user('Look it up'));
    const reply = talk.answer(gemini, { thought: 'hm', calls: [{ args: '{"city":42}' }] });
    talk.say(toolResult(reply.toolUses[0]!.id, 'city must be a string', { isError: true }));
    const sent = talk.write(gemini, {}, reloaded(talk.messages));
    expect(sent.verdict).toEqual(accepted);
    expect(sent.body).toContain(reply.raw);
  });

  test('a provider under another name drops its own signatures (vercel/ai#18964)', () => {
    const talk = geminiLoop();
    const renamed = { ...gemini, provider: { ...googleGenerateContent.home, id: 'my-gemini' } };
    expect(talk.write(renamed, {}, reloaded(talk.messages)).body).toBe(talk.write(gemini).body);
  });

  test('a long tool chat dies on a missing signature after a reload (danny-avila/LibreChat#11826)', () => {
    const talk = new Talk();
    for (let turn = 0; turn < 20; turn++) {
      talk.say(user(`Question ${turn}`));
      const reply = talk.answer(gemini, { thought: 'hm', calls: [{}, {}] });
      talk.say(...reply.toolUses.map(({ id }) => toolResult(id, 'found')));
      talk.answer(gemini, { thought: 'so', text: `Answer ${turn}` });
      const fresh = reloaded(talk.messages);
      talk.messages.splice(0, talk.messages.length, ...fresh);
    }
    const sent = talk.say(user('The end')).write(gemini);
    expect(sent.verdict).toEqual(accepted);
    expect(sent.losses).toEqual([]);
    for (let turn = 0; turn < 40; turn++) expect(sent.body).toContain(secret(google, turn));
  });

  test('thinking is resent after its bytes changed, and its signature is invalid (anthropics/anthropic-sdk-python#1598)', () => {
    const talk = new Talk().say(user('Think'));
    const reply = talk.answer({ api: anthropic }, { thought: 'caf\u00e9 \u2028', text: 'Done' });
    const { body } = talk.say(user('More')).write({ api: anthropic }, {}, reloaded(talk.messages));
    const [, echoed] = anthropic.dialect.readRequest(body).messages;
    expect(echoed!.facts.digest).toBe(reply.facts.digest);
  });

  test('reasoning_content is thrown away when it is read (langchain-ai/langchain#34166)', () => {
    const talk = new Talk().say(user('Think'));
    const reply = talk.answer({ api: chat }, { thought: 'a visible thought', text: 'Done' });
    talk.say(user('More'));
    expect(reply.content).toContainEqual({ type: 'reasoning', text: 'a visible thought', redacted: false });
    expect(talk.write({ api: chat }).body).toContain('"reasoning_content":"a visible thought"');

    const { home } = chat.dialect;
    const quirks = { ...home.policies.quirks, sendReasoning: { default: false } };
    const omits = { api: chat, provider: { ...home, policies: { ...home.policies, quirks } } };
    const sent = talk.write(omits);
    expect(sent.body).not.toContain('a visible thought');
    expect(sent.losses.map(({ message, reason }) => [message, reason])).toEqual([[1, 'refused-field']]);
    expect(reply.raw).toContain('a visible thought');
  });

  test.each(APIS)(
    '51 turns of reasoning are captured and none is sent back: $id (CommandCodeAI/command-code#754)',
    (api) => {
      const talk = new Talk();
      const target = { api, model: newest(api) };
      for (let turn = 0; turn < 51; turn++) {
        talk.say(user(`Question ${turn}`));
        talk.answer(target, { thought: `thought ${turn}`, text: `Answer ${turn}` });
      }
      const { body, losses } = talk.say(user('The end')).write(target);
      const replies = talk.messages.filter(({ role }) => role === 'assistant');
      const received = replies.reduce((sum, { raw }) => sum + raw.length, 0);
      const resent = replies
        .filter(({ raw }) => body.includes(inner(raw)))
        .reduce((sum, { raw }) => sum + raw.length, 0);
      expect(resent / received).toBe(1);
      expect(losses).toEqual([]);
    },
  );
});
