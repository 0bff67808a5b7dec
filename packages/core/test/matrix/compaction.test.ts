import { applyCheckpoint, assistant, cutPoints, type Message, user } from '@skein/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { APIS } from './apis.ts';
import { type History, randomHistory } from './random-history.ts';

const RUNS = 100;
const REPLACEMENTS: readonly (readonly Message[])[] = [
  [],
  [user('A summary.')],
  [user('What was said?'), assistant('A summary.')],
];

/** Several histories in a row have more turns to cut between. */
const long = fc.array(randomHistory, { minLength: 1, maxLength: 3 });

const messagesOf = (histories: readonly History[]): readonly Message[] => histories.flatMap(({ messages }) => messages);

for (const api of APIS) {
  for (const model of api.models) {
    test(`every cut of any history is accepted by ${model} (${api.id})`, () => {
      let cuts = 0;
      fc.assert(
        fc.property(long, (histories) => {
          const messages = messagesOf(histories);
          const issuers = histories.map((history) => history.issuers.get(api)!);
          for (const upTo of cutPoints(messages)) {
            for (const replacement of REPLACEMENTS) {
              const { digest } = messages[upTo - 1]!.facts;
              const sent = applyCheckpoint(messages, { upTo, digest, replacement: replacement.map(({ raw }) => raw) });
              const params = { maxTokens: 2048 };
              const { body } = api.dialect.writeRequest({ model, messages: sent!, params });
              const named = api.id === 'google-generatecontent' && { model };
              const verdict = api.judge({ body, memory: anyOf(issuers), ...named });
              expect(verdict, body).toEqual({ refusal: undefined, warnings: [] });
              cuts++;
            }
          }
        }),
        { numRuns: RUNS },
      );
      expect(cuts).toBeGreaterThan(RUNS);
    });
  }
}

test('no cut parts a call from its result', () => {
  fc.assert(
    fc.property(long, (histories) => {
      const messages = messagesOf(histories);
      for (const cut of cutPoints(messages)) {
        expect(messages[cut]!.facts.results).toEqual([]);
        expect(messages[cut]!.role).toMatch(/^(user|system)$/);
        const behind = new Set<string>();
        for (const { facts } of messages.slice(cut)) {
          const before = messages.slice(0, cut).flatMap((message) => message.facts.calls.map(({ id }) => id));
          for (const id of facts.results) if (!behind.has(id)) expect(before).not.toContain(id);
          for (const { id } of facts.calls) behind.add(id);
        }
      }
    }),
    { numRuns: RUNS },
  );
});

type Memory = NonNullable<Parameters<(typeof APIS)[number]['judge']>[0]['memory']>;

/** What any of them would recognise. */
function anyOf(memories: readonly Memory[]): Memory {
  return {
    issued: (value) => first((memory) => memory.issued(value)),
    stored: (id) => memories.some((memory) => memory.stored(id)),
    ownField: (path) => memories.some((memory) => memory.ownField(path)),
    following: (id) => first((memory) => memory.following(id)),
    reasoningOf: (id) => first((memory) => memory.reasoningOf(id)),
  };
  function first<T>(ask: (memory: Memory) => T | undefined): T | undefined {
    for (const memory of memories) {
      const answer = ask(memory);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
}
