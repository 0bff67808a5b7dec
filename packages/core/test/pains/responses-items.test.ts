import { elementTexts, type Message, openaiResponses, toolResult, user, writeRequest } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { responses } from '../matrix/apis.ts';
import { Issuer } from '../matrix/issuer.ts';
import { Talk } from '../matrix/talk.ts';
import { accepted, inner } from './kit.ts';

const gpt = { api: responses, model: 'gpt-5.2' };

/** Reasoning, a message, reasoning, a call: as the API gave them. */
const MIXED = `[{"id":"rs_a","type":"reasoning","summary":[],"encrypted_content":"Zmlyc3Q="},
  {"id":"msg_a","type":"message","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Let me look","annotations":[]}]},
  {"id":"rs_b","type":"reasoning","summary":[{"type":"summary_text","text":"look"}],"encrypted_content":"c2Vjb25k"},
  {"id":"fc_b","type":"function_call","status":"completed","call_id":"call_b","name":"lookup","arguments":"{\\"a\\": 1}"}]`;

function judged(messages: readonly Message[], reply: Message) {
  const memory = new Issuer();
  memory.remember(reply);
  const { body } = writeRequest(openaiResponses, { model: 'gpt-5.2', messages });
  return { body, verdict: responses.judge({ body, memory }) };
}

describe('items of the Responses API', () => {
  const reply = openaiResponses.readResponse(
    `{"id":"resp_1","object":"response","status":"completed","model":"gpt-5.2","output":${MIXED}}`,
  ).message;

  test('an item is provided without its required following item (vercel/ai#7099)', () => {
    const { body, verdict } = judged([user('Look'), reply, toolResult('call_b', 'found')], reply);
    expect(verdict, body).toEqual(accepted);
    expect(body).toContain(elementTexts(MIXED).join(','));
  });

  test('the phase of a message is dropped, and the model stops early (earendil-works/pi#1819)', () => {
    const { body } = judged([user('Look'), reply, toolResult('call_b', 'found')], reply);
    expect(body).toContain('"phase":"commentary"');
    const [, echoed] = openaiResponses.readRequest(body).messages;
    expect(inner(echoed!.raw)).toContain('"phase":"commentary"');
  });

  test('trimming cuts between reasoning and what follows it (continuedev/continue#8933)', () => {
    const talk = new Talk();
    for (const question of ['One?', 'Two?', 'Three?']) {
      talk.say(user(question));
      const call = talk.answer(gpt, { thought: 'hm', text: 'Let me look', calls: [{}] });
      talk.say(toolResult(call.toolUses[0]!.id, 'found'));
      talk.answer(gpt, { thought: 'so', text: `Answer to ${question}` });
    }
    talk.say(user('Four?'));
    for (let start = 0; start < talk.messages.length; start++) {
      const sent = talk.write(gpt, {}, talk.messages.slice(start));
      expect(sent.verdict, sent.body).toEqual(accepted);
    }
  });

  test('a turn that was stored twice sends the same item twice (vercel/ai#7883)', () => {
    const twice = [
      user('Look'),
      reply,
      toolResult('call_b', 'found'),
      reply,
      toolResult('call_b', 'found'),
      user('So?'),
    ];
    const { body, verdict } = judged(twice, reply);
    expect(verdict, body).toEqual(accepted);
    expect(body.match(/"rs_a"/g)).toHaveLength(1);
    expect(body.match(/Let me look/g)).toHaveLength(2);
  });

  test('an item of a kind nobody knows yet is dropped or crashes (earendil-works/pi#1819)', () => {
    const item = '{"id":"hd_1","type":"holodeck_call","status":"completed","program":{"deck":1.0}}';
    const strange = openaiResponses.readResponse(
      `{"id":"resp_2","object":"response","status":"completed","model":"gpt-6","output":[${item},${inner(MIXED)}]}`,
    ).message;
    expect(strange.content[0]).toEqual({ type: 'unknown', native: item });
    const { body } = writeRequest(openaiResponses, { model: 'gpt-6', messages: [user('Look'), strange, user('So?')] });
    expect(body).toContain(item);
  });
});
