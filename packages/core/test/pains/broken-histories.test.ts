import { googleGenerateContent, type Message, toolResult, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS, type Api, anthropic, chat, judgeFor, newest } from '../matrix/apis.ts';
import { Issuer } from '../matrix/issuer.ts';
import { readStreamed, streamOf } from '../matrix/streamed.ts';
import { Talk } from '../matrix/talk.ts';
import { accepted, inner, reloaded } from './kit.ts';

/** Judged by a provider that remembers its own replies. */
function sentTo(api: Api, messages: readonly Message[]) {
  const memory = new Issuer();
  for (const message of messages) if (message.origin.dialect === api.id) memory.remember(message);
  const { body, losses } = new Talk().write({ api }, {}, messages);
  return { body, losses, verdict: judgeFor(api, newest(api), body, memory) };
}

const STRAY_RESULTS = {
  'anthropic-messages': '{"role":"user","content":[{"type":"tool_result","tool_use_id":"gone_1","content":"x"}]}',
  'bedrock-converse': '{"role":"user","content":[{"toolResult":{"toolUseId":"gone_1","content":[{"text":"x"}]}}]}',
  'cohere-chat': '{"role":"tool","tool_call_id":"gone_1","content":"x"}',
  'google-generatecontent':
    '{"role":"user","parts":[{"functionResponse":{"id":"gone_1","name":"g","response":{"output":"x"}}}]}',
  'google-interactions': '{"type":"function_result","call_id":"gone_1","name":"g","result":"x"}',
  'openai-chat': '{"role":"tool","tool_call_id":"gone_1","content":"x"}',
  'openai-responses': '{"type":"function_call_output","call_id":"gone_1","output":"x"}',
};

const ids = (api: Api) => ({ id: api.id, api });

describe.each(APIS.map(ids))('broken histories, sent to $id', ({ api }) => {
  const model = newest(api);

  test('a crash between call and result makes every later request fail (letta-ai/letta#3308)', () => {
    const talk = new Talk().say(user('Look'));
    const reply = talk.answer({ api }, { thought: 'hm', text: 'Looking', calls: [{}, {}] });
    talk.say(toolResult(reply.toolUses[0]!.id, 'found'));
    const stored = reloaded(talk.messages);
    const sent = talk.say(user('Still there?')).write({ api }, {}, [...stored, user('Still there?')]);
    expect(sent.verdict, sent.body).toEqual(accepted);
    // Where roles alternate, the question joins the results.
    expect(sent.losses.filter(({ reason }) => reason !== 'merged')).toEqual([
      expect.objectContaining({ kind: 'synthesised', message: 1, reason: 'tool-unanswered' }),
    ]);
    expect(stored.flatMap(({ toolResults }) => toolResults)).toHaveLength(1);
    expect(stored.map(({ raw }) => raw)).toEqual(talk.messages.slice(0, 3).map(({ raw }) => raw));
  });

  test('a native result of another call is taken for the answer to one that came without an id', () => {
    const call = googleGenerateContent.parseMessage(
      '{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}',
    );
    const result = api.dialect.parseMessage(STRAY_RESULTS[api.id]);
    for (const messages of [
      [user('Look'), call, result, user('And?')],
      [user('Look'), call, user('Wait'), result],
    ]) {
      const sent = sentTo(api, messages);
      expect(sent.verdict.refusal, sent.body).toBeUndefined();
      expect(sent.losses.length).toBeGreaterThan(0);
    }
  });

  test('compaction splits calls from their results (openclaw/openclaw#93320)', () => {
    const talk = new Talk();
    for (let turn = 0; turn < 5; turn++) {
      talk.say(user(`Question ${turn}`));
      const reply = talk.answer({ api }, { thought: 'hm', calls: [{}, {}] });
      talk.say(...reply.toolUses.map(({ id }) => toolResult(id, 'found')));
      talk.answer({ api }, { thought: 'so', text: `Answer ${turn}` });
    }
    talk.say(user('Go on'));
    for (let cut = 0; cut < talk.messages.length; cut++) {
      const rest = talk.messages.slice(cut);
      for (const compacted of [[user('So far: five questions.'), ...rest], rest]) {
        const sent = talk.write({ api }, {}, compacted);
        expect(sent.verdict, `${cut}: ${sent.body}`).toEqual(accepted);
      }
    }
  });

  test('an abort before the first token freezes an empty message into history (anthropics/claude-code#23142)', () => {
    const events = streamOf(api, model, { thought: 'hm', text: 'Let me look', calls: [{}] }, 1);
    for (let count = 0; count < events.length; count++) {
      const { message } = readStreamed(api, events, { model }, count);
      for (const target of APIS) {
        const sent = sentTo(target, [user('Look'), message, user('Again')]);
        expect(sent.verdict, `${count}: ${sent.body}`).toEqual(accepted);
        expect(sent.body).not.toMatch(/"(?:text|content)":(?:""|\[\])/);
      }
    }
  });

  test('several steps become one message, and calls lose their results (vercel/ai#16312)', () => {
    const talk = new Talk().say(user('Look twice'));
    for (const text of ['First', 'Second']) {
      const reply = talk.answer({ api }, { text, calls: [{}] });
      talk.say(toolResult(reply.toolUses[0]!.id, `${text} result`));
    }
    const sent = talk.write({ api });
    expect(sent.verdict, sent.body).toEqual(accepted);
    const { messages } = api.dialect.readRequest(sent.body);
    expect(messages.map(({ role }) => (role === 'assistant' ? 'assistant' : 'other'))).toEqual([
      'other',
      'assistant',
      'other',
      'assistant',
      'other',
    ]);
    for (const { raw } of [talk.messages[1]!, talk.messages[3]!]) expect(sent.body).toContain(inner(raw));
  });

  test('malformed tool JSON poisons all later requests (NousResearch/hermes-agent#4838)', () => {
    for (const args of ['{"city": "Par', '["Paris"]', '{city: Paris}']) {
      const talk = new Talk().say(user('Look'));
      const reply = talk.answer({ api: chat }, { calls: [{ args }] });
      expect(reply.toolUses[0]).toMatchObject({ rawParameters: args, parameters: {} });
      talk.say(toolResult(reply.toolUses[0]!.id, 'The arguments are not valid JSON.', { isError: true }));
      const sent = talk.write({ api });
      expect(sent.verdict, sent.body).toEqual(accepted);
      expect(sent.losses).toContainEqual(expect.objectContaining({ message: 1, reason: 'malformed-arguments' }));
      const [call] = api.dialect.readRequest(sent.body).messages.flatMap(({ toolUses }) => toolUses);
      expect(call!.parameters).toEqual({ _malformed_arguments: args });
      expect(talk.messages[1]!.raw).toContain(JSON.stringify(args));
    }
  });
});

describe('servers whose chat template insists on taking turns', () => {
  const { home } = chat.dialect;
  const strict = { api: chat, provider: { ...home, policies: { ...home.policies, alternateRoles: true } } };

  test('a cancelled question and its repetition are two user messages (unslothai/unsloth#9491)', () => {
    const talk = new Talk().say(user('First try'), user('Second try'));
    talk.answer(strict, { text: 'Here' });
    const sent = talk.say(user('One'), user('Two'), user('Three')).write(strict);
    const { messages } = chat.dialect.readRequest(sent.body);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[0]!.text).toMatch(/First try.*Second try/s);
    expect(messages[2]!.text).toMatch(/One.*Two.*Three/s);
    expect(sent.losses.filter(({ reason }) => reason === 'merged')).toHaveLength(3);
    expect(talk.messages).toHaveLength(6);
  });

  test('a reply that was aborted at once leaves two user messages behind (Portkey-AI/gateway#748)', () => {
    const { message } = readStreamed(chat, streamOf(chat, 'gpt-4o', { text: 'Hi' }, 1), {}, 1);
    const sent = new Talk().write(strict, {}, [user('First'), message, user('Second')]);
    const { messages } = chat.dialect.readRequest(sent.body);
    expect(messages.map(({ role }) => role)).toEqual(['user']);
  });
});

test('text between calls is kept in its place (anomalyco/opencode#14456)', () => {
  const block = (text: string) => `{"type":"text","text":"${text}"}`;
  const use = (id: string) => `{"type":"tool_use","id":"${id}","name":"lookup","input":{}}`;
  const raw = `{"role":"assistant","content":[${block('one')},${use('a')},${block('two')},${use('b')}]}`;
  const reply = anthropic.dialect.parseMessage(raw);
  expect(reply.content.map(({ type }) => type)).toEqual(['text', 'tool-use', 'text', 'tool-use']);
  const sent = sentTo(anthropic, [user('Look'), reply, toolResult('b', 'B'), toolResult('a', 'A'), user('So?')]);
  expect(sent.verdict, sent.body).toEqual(accepted);
  expect(sent.body).toContain(raw);
});
