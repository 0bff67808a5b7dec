import { anthropicMessages, type Loss, type Message, system, user, writeRequest } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { anthropic, responses } from '../matrix/apis.ts';
import { Talk, type Target } from '../matrix/talk.ts';

const fable: Target = { api: anthropic, model: 'claude-fable-5-1' };
const TOOLS = [{ name: 'lookup', parameters: { type: 'object' } }];

/** Three turns with thinking, all bound to what stands before them. */
function thoughtful(options = {}): Talk {
  const talk = new Talk();
  for (const question of ['One?', 'Two?', 'Three?']) {
    talk.say(user(question));
    talk.answer(fable, { thought: `about ${question}`, text: `Answer to ${question}` }, options);
  }
  return talk.say(user('Four?'));
}

const bound = (losses: readonly Loss[]): readonly (readonly [number, string, string])[] =>
  losses.map(({ message, kind, reason }) => [message, kind, reason]);
const accepted = { refusal: undefined, warnings: [] };
const thoughts = (body: string): number => body.match(/"signature"/g)?.length ?? 0;
const answers = (body: string): number => body.match(/Answer to/g)?.length ?? 0;

describe('thinking that is bound to the conversation before it', () => {
  test('goes back where nothing has changed', () => {
    const talk = thoughtful();
    const sent = talk.write(fable);
    expect(sent.verdict).toEqual(accepted);
    expect(sent.losses).toEqual([]);
    expect(thoughts(sent.body)).toBe(3);
  });

  test('the prefix of a reply is that of the request it answered', () => {
    const talk = new Talk().say(user('One?'));
    const { manifest } = talk.write(fable);
    expect(talk.answer(fable, { thought: 'hm', text: 'Yes' }).origin.prefix).toBe(manifest.prefix);
    expect(talk.say(user('Two?')).write(fable).manifest.prefix).not.toBe(manifest.prefix);
  });

  test('is left out behind an edited user message, and stays before it', () => {
    const talk = thoughtful();
    const edited = talk.messages.with(2, user('Two, edited?'));
    expect(talk.write(fable, {}, edited).verdict).toEqual(accepted);
    const { body, losses } = talk.write(fable, {}, edited);
    expect(bound(losses)).toEqual([
      [3, 'dropped', 'prefix-bound'],
      [5, 'dropped', 'prefix-bound'],
    ]);
    expect([thoughts(body), answers(body)]).toEqual([1, 3]);
  });

  test.each<[string, object]>([
    ['a new system text', { system: 'Be brief.' }],
    ['another tool list', { tools: TOOLS }],
  ])('%s leaves out all of it', (_, options) => {
    const sent = thoughtful().write(fable, options);
    expect(sent.verdict).toEqual(accepted);
    expect(bound(sent.losses)).toEqual([1, 3, 5].map((index) => [index, 'dropped', 'prefix-bound']));
    expect([thoughts(sent.body), answers(sent.body)]).toEqual([0, 3]);
  });

  test('the same system text and tools as then leave it in', () => {
    const options = { system: 'Be brief.', tools: TOOLS };
    const sent = thoughtful(options).write(fable, options);
    expect(sent.verdict).toEqual(accepted);
    expect(sent.losses).toEqual([]);
  });

  test('an earlier message that was taken out leaves out what follows', () => {
    const talk = thoughtful();
    const cut = talk.messages.slice(2);
    const sent = talk.write(fable, {}, cut);
    expect(sent.verdict).toEqual(accepted);
    expect(bound(sent.losses)).toEqual([1, 3].map((index) => [index, 'dropped', 'prefix-bound']));
  });

  test('a message that was put in leaves out what follows', () => {
    const talk = thoughtful();
    const sent = talk.write(fable, {}, talk.messages.toSpliced(4, 0, user('By the way')));
    expect(sent.verdict).toEqual(accepted);
    expect(bound(sent.losses)).toEqual([[6, 'dropped', 'prefix-bound']]);
  });

  test('what was said after thinking had been left out is bound to the request as it was sent', () => {
    const talk = thoughtful();
    const edited = talk.messages.with(0, user('One, edited?'));
    talk.messages.splice(0, talk.messages.length, ...edited);
    talk.answer(fable, { thought: 'about the edit', text: 'Answer to Four?' });
    talk.say(user('Five?'));
    const sent = talk.write(fable);
    expect(sent.verdict).toEqual(accepted);
    expect(sent.body).toContain('about the edit');
    expect(thoughts(sent.body)).toBe(1);
  });

  test('an inline system message counts like any other', () => {
    const talk = thoughtful();
    const sent = talk.write(fable, {}, talk.messages.toSpliced(3, 0, system('Be brief.')));
    expect(sent.verdict).toEqual(accepted);
    expect(bound(sent.losses).map(([index]) => index)).toEqual([4, 6]);
  });

  test('cache markers do not count', () => {
    const talk = thoughtful({ cache: [0] });
    const sent = talk.write(fable, { cache: [-1, 2] });
    expect(sent.verdict).toEqual(accepted);
    expect(thoughts(sent.body)).toBe(3);
  });

  test('an older model does not ask for the prefix', () => {
    const opus: Target = { api: anthropic, model: 'claude-opus-4-8' };
    const talk = new Talk().say(user('One?'));
    talk.answer(opus, { thought: 'hm', text: 'Yes' });
    talk.say(user('Two?'));
    const sent = talk.write(opus, { system: 'Be brief.' }, talk.messages.with(0, user('One, edited?')));
    expect(sent.verdict).toEqual(accepted);
    expect([thoughts(sent.body), sent.losses]).toEqual([1, []]);
  });
});

describe('reasoning that is bound to its model or account', () => {
  test('is left out for another model, and comes back with its own', () => {
    const talk = thoughtful();
    const other = talk.write({ api: anthropic, model: 'claude-opus-4-8' });
    expect(other.verdict).toEqual(accepted);
    expect(bound(other.losses)).toEqual([1, 3, 5].map((index) => [index, 'dropped', 'model-bound']));
    expect(thoughts(talk.write(fable).body)).toBe(3);
  });

  test('a dated name is the same model', () => {
    const messages: Message[] = [user('One?')];
    const body = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-8-20260401","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"Yes"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`;
    messages.push(anthropicMessages.readResponse(body).message, user('Two?'));
    const { losses } = writeRequest(anthropicMessages, { model: 'claude-opus-4-8', messages });
    expect(losses).toEqual([]);
  });

  test('ciphertexts of another account are left out, with the ids that need them', () => {
    const gpt: Target = { api: responses, model: 'gpt-5.2' };
    const talk = new Talk().say(user('One?'));
    talk.answer(gpt, { thought: 'hm', text: 'Yes' }, { account: 'mine' });
    talk.say(user('Two?'));
    const sent = talk.write(gpt, { account: 'yours' });
    expect(sent.verdict).toEqual(accepted);
    expect(bound(sent.losses)).toContainEqual([1, 'dropped', 'account-bound']);
    expect(sent.body).not.toContain('"encrypted_content":');
    expect(talk.write(gpt, { account: 'mine' }).losses).toEqual([]);
  });
});
