/** Histories that are hard to carry from one API to another. Each text occurs once, so that none can hide behind another. */
import { type Message, system, toolResult, user } from '@skein/core';
import type { Talk, Target } from './talk.ts';

export interface Scenario {
  readonly name: string;
  play(talk: Talk, source: Target): void;
}

const IMAGE = { kind: 'base64', data: 'aW1hZ2Ugb25l' } as const;
const OTHER_IMAGE = { kind: 'base64', data: 'aW1hZ2UgdHdv' } as const;
const PDF = { kind: 'base64', data: 'JVBERi0xLjQK' } as const;

const results = (reply: Message, ...texts: readonly string[]): Message[] =>
  texts.map((text, index) => toolResult(reply.toolUses[index]!.id, text));

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'plain talk',
    play(talk, source) {
      talk.say(system('Be brief.'), user('First question'));
      talk.answer(source, { text: 'First answer' });
      talk.say(user('Second question "quoted" \\ \u2028 😀'));
      talk.answer(source, { text: 'Second answer\n\twith "quotes" and 😀' });
      talk.say(user('Third question'));
    },
  },
  {
    name: 'parallel tool calls',
    play(talk, source) {
      talk.say(user('Compare three things'));
      const reply = talk.answer(source, {
        text: 'Let me look',
        calls: [{}, { name: 'search', args: '{"q":"b"}' }, { args: '{}' }],
      });
      talk.say(...results(reply, 'result one', 'result two', 'result three'));
      talk.answer(source, { text: 'They are equal' });
      talk.say(user('Thanks'));
    },
  },
  {
    name: 'results in another order than the calls',
    play(talk, source) {
      talk.say(user('Compare'));
      const reply = talk.answer(source, { calls: [{ name: 'first' }, { name: 'second' }] });
      talk.say(...results(reply, 'result one', 'result two').reverse());
      talk.answer(source, { text: 'Equal' });
      talk.say(user('Thanks'));
    },
  },
  {
    name: 'reasoning',
    play(talk, source) {
      talk.say(user('Think'));
      talk.answer(source, { thought: 'secret thought one', text: 'Thought' });
      talk.say(user('Think and look'));
      const reply = talk.answer(source, { thought: 'secret thought two', text: 'I must look', calls: [{}, {}] });
      talk.say(...results(reply, 'result one', 'result two'));
      const again = talk.answer(source, { thought: 'secret thought three', calls: [{}] });
      talk.say(...results(again, 'result three'));
    },
  },
  {
    name: 'media',
    play(talk, source) {
      talk.say(
        user([
          { type: 'text', text: 'What is this?' },
          { type: 'media', mediaType: 'image/png', source: IMAGE },
          { type: 'media', mediaType: 'application/pdf', source: PDF, name: 'paper.pdf' },
          { type: 'media', mediaType: 'image/jpeg', source: { kind: 'url', url: 'https://example.com/cat.jpg' } },
          { type: 'media', mediaType: 'audio/wav', source: { kind: 'base64', data: 'UklGRg==' } },
        ]),
      );
      const reply = talk.answer(source, { text: 'A cat', calls: [{}, {}] });
      talk.say(
        toolResult(reply.toolUses[0]!.id, [
          { type: 'text', text: 'a screenshot' },
          { type: 'media', mediaType: 'image/png', source: OTHER_IMAGE },
        ]),
        toolResult(reply.toolUses[1]!.id, 'no screenshot'),
      );
      talk.answer(source, { text: 'A dog' });
      talk.say(user('Sure?'));
    },
  },
  {
    name: 'a failed tool',
    play(talk, source) {
      talk.say(user('Try'));
      const reply = talk.answer(source, { calls: [{}, {}] });
      talk.say(
        toolResult(reply.toolUses[0]!.id, 'ENOENT: no such file', { isError: true }),
        toolResult(reply.toolUses[1]!.id, ''),
      );
      talk.answer(source, { text: 'It failed' });
      talk.say(user('Pity'));
    },
  },
  {
    name: 'an unanswered call',
    play(talk, source) {
      talk.say(user('Do both'));
      const reply = talk.answer(source, { thought: 'secret thought', calls: [{}, {}] });
      talk.say(...results(reply, 'only one came'), user('Never mind'));
      talk.answer(source, { text: 'As you like' });
      talk.say(toolResult(reply.toolUses[1]!.id, 'too late'), user('And now?'));
    },
  },
  {
    name: 'a call that was never answered at the end',
    play(talk, source) {
      talk.say(user('Do it'));
      talk.answer(source, { text: 'Doing it', calls: [{}] });
    },
  },
  {
    name: 'inline system messages',
    play(talk, source) {
      talk.say(system('Lead one'), system('Lead two'), user('Hello'), system('After the user'));
      const reply = talk.answer(source, { text: 'Hi', calls: [{}] });
      talk.say(system('Between call and result'), ...results(reply, 'the result'), system('After the result'));
      talk.answer(source, { text: 'Done' });
      talk.say(system('After the answer'), user('Go on'), system('At the end'), system('At the very end'));
    },
  },
  {
    name: 'two turns in a row',
    play(talk, source) {
      talk.say(user('One'), user('Two'));
      talk.answer(source, { text: 'Three', calls: [{}] });
      talk.answer(source, { text: 'Four', calls: [{}] });
      talk.say(...results(talk.messages[2]!, 'result one'), ...results(talk.messages[3]!, 'result two'));
      talk.say(user('Five'), user('Six'));
    },
  },
  {
    name: 'empty and blank texts',
    play(talk, source) {
      talk.say(user('Say nothing'));
      talk.answer(source, { text: '' });
      talk.say(user('Say less'));
      talk.answer(source, { text: ' \n' });
      talk.say(user(' '), user('Say a blank and call'));
      const reply = talk.answer(source, { text: ' ', calls: [{ args: '' }] });
      talk.say(...results(reply, ' '));
    },
  },
  {
    name: 'an answer at the end',
    play(talk, source) {
      talk.say(user('Begin'));
      talk.answer(source, { thought: 'secret thought', text: 'I begin, and ' });
    },
  },
];

/** Ids that only their issuer takes: with other characters, or longer than others allow. */
export const ODD_IDS: Scenario = {
  name: 'odd tool ids',
  play(talk, source) {
    talk.say(user('Look it up'));
    const ids = ['functions.lookup:0', 'a|b', `call_${'x'.repeat(78)}`, 'ü', 'with space'];
    const reply = talk.answer(source, { calls: ids.map((id) => ({ id })) });
    talk.say(...results(reply, 'result one', 'result two', 'result three', 'result four', 'result five'));
    talk.answer(source, { text: 'Found' });
    talk.say(user('Thanks'));
  },
};
