import { type Message, system, toolResult, user } from '@skein/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { APIS } from '../matrix/apis.ts';
import { Talk } from '../matrix/talk.ts';
import { inner } from './kit.ts';

const edits: Readonly<Record<string, (messages: readonly Message[]) => readonly Message[]>> = {
  'nothing is changed': (messages) => messages,
  'an earlier message is edited': (messages) => messages.with(0, user('Edited')),
  'earlier messages are compacted': (messages) => [user('So far: a question.'), ...messages.slice(3)],
  'a system message is put in': (messages) => messages.toSpliced(1, 0, system('Be brief.')),
  'an earlier result is lost': (messages) => messages.filter(({ role }, index) => role !== 'tool' || index > 4),
};

test.each(APIS)(
  'blocks of the latest assistant message are modified on the way: $id (anthropics/claude-code#19539)',
  (api) => {
    // The newest Claude binds thinking to what stands before it, which these edits change.
    const target = { api, model: api.id === 'anthropic-messages' ? 'claude-opus-4-8' : api.models.at(-1)! };
    const talk = new Talk().say(user('First'));
    const first = talk.answer(target, { thought: 'hm', calls: [{}] });
    talk.say(toolResult(first.toolUses[0]!.id, 'found'), user('Second'));
    const latest = talk.answer(target, { thought: 'so', text: ' Look \u00e9 ', calls: [{}, {}] });
    talk.say(toolResult(latest.toolUses[1]!.id, 'found'));
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(edits)),
        fc.record(
          {
            system: fc.constant('Be brief.'),
            tools: fc.constant([{ name: 'lookup', parameters: { type: 'object' } }]),
            cache: fc.subarray([0, 1, -1]),
            params: fc.constantFrom({ maxTokens: 99 }, { stream: true }, { toolChoice: 'none' as const }),
          },
          { requiredKeys: [] },
        ),
        (edit, options) => {
          const { body } = talk.write(target, options, edit(talk.messages));
          expect(body).toContain(inner(latest.raw));
        },
      ),
      { numRuns: 60 },
    );
  },
);
