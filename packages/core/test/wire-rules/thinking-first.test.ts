import { assistant, toolResult, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { anthropic, chat } from '../matrix/apis.ts';
import { Talk } from '../matrix/talk.ts';

const accepted = { refusal: undefined, warnings: [] };
const params = { maxTokens: 4000, reasoning: { budget: 2000 } };
const THINKING = '"thinking":{"type":"enabled","budget_tokens":2000}';

/** An answer that the model itself began, with its thinking. */
function thoughtfulStart(target: Parameters<Talk['answer']>[0]): Talk {
  const talk = new Talk().say(user('Go on'));
  talk.answer(target, { thought: 'hm', text: 'It is' });
  return talk;
}

/** Requests that end with an answer to be continued, which someone else began. */
const unfinished = (called: Talk): [string, Talk][] => [
  ['an answer behind the results', called.say(assistant('It is'))],
  ['an answer to be continued', new Talk().say(user('Go on'), assistant('It is'))],
];

describe.each(['claude-3-7-sonnet-latest', 'claude-sonnet-4-5', 'claude-opus-4-6'])('a tool loop of %s', (model) => {
  const target = { api: anthropic, model };
  const called = (talk: Talk, by: Parameters<Talk['answer']>[0], thought?: string) => {
    const { toolUses } = talk.answer(by, { calls: [{}], ...(thought !== undefined && { thought }) });
    return talk.say(...toolUses.map(({ id }) => toolResult(id, 'found')));
  };
  const begun = (thought?: string) =>
    called(new Talk().say(user('Look it up')), thought === undefined ? { api: chat } : target, thought);

  const unthought: [string, Talk][] = [
    ['results', begun()],
    ['words behind the results', begun().say(user('and?'))],
    ['several such words', begun().say(user('and?'), user('Hurry.'))],
    ['another call behind such words', called(begun().say(user('and?')), target)],
    // Later models take no answer to be continued: they are asked to go on.
    ...(model === 'claude-opus-4-6' ? [] : unfinished(begun())),
  ];
  test.each(unthought)('that began without thinking goes on without it, and that is told: %s', (_, talk) => {
    const { verdict, body, losses } = talk.write(target, { params });
    expect(verdict, body).toEqual(accepted);
    expect(body).not.toContain(THINKING);
    expect(losses).toContainEqual(expect.objectContaining({ path: 'params.reasoning', detail: 'thinking-first' }));
  });

  const thought: [string, Talk][] = [
    ['it began with thinking', begun('hm')],
    ['it began with thinking, and words stand within it', called(begun('hm').say(user('and?')), target)],
    ['it is over', begun().say(assistant('Found.'), user('Thanks. And?'))],
    ['the answer to be continued began with it', thoughtfulStart(target)],
    ['it was left for another', called(begun().say(assistant('Found.'), user('And?')), target, 'hm')],
  ];
  test.each(thought)('keeps thinking when %s', (_, talk) => {
    const { verdict, body, losses } = talk.write(target, { params });
    expect(verdict, body).toEqual(accepted);
    expect(body).toContain(THINKING);
    expect(losses.filter(({ reason }) => reason === 'parameter')).toEqual([]);
  });

  test('is looked at as far as it goes back, also in what was sent before', () => {
    const thinks = begun('hm');
    const first = thinks.write(target, { params });
    called(thinks, target);
    const second = thinks.write(target, { params, previous: first.manifest });
    called(thinks, target);
    const third = thinks.write(target, { params, previous: second.manifest });
    for (const { verdict, body } of [second, third]) {
      expect(verdict, body).toEqual(accepted);
      expect(body).toContain(THINKING);
    }
    const plain = begun();
    const before = plain.write(target, { params });
    const { verdict, body } = plain.say(user('and?')).write(target, { params, previous: before.manifest });
    expect(verdict, body).toEqual(accepted);
    expect(body).not.toContain(THINKING);
  });
});
