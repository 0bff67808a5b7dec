import { applyCheckpoint, assistant, cutPoints, type Message, user, writeRequest } from '@skein/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rangeDigest } from '../../src/run/compaction/checkpoint.ts';
import { APIS, judgeFor, runsPerModel } from './apis.ts';
import { longHistory } from './random-history.ts';

const RUNS = runsPerModel(1200);
const REPLACEMENTS: readonly (readonly Message[])[] = [
  [],
  [user('A summary.')],
  [user('What was said?'), assistant('A summary.')],
];

for (const api of APIS) {
  for (const model of api.models) {
    test(`every cut of any history is accepted by ${model} (${api.id})`, () => {
      let cuts = 0;
      fc.assert(
        fc.property(longHistory, ({ messages, issuers }) => {
          for (const upTo of cutPoints(messages)) {
            for (const replacement of REPLACEMENTS) {
              const digest = rangeDigest(messages, upTo);
              const sent = applyCheckpoint(messages, { upTo, digest, replacement: replacement.map(({ raw }) => raw) });
              const params = { maxTokens: 2048 };
              const { body } = writeRequest(api.dialect, { model, messages: sent!, params });
              const verdict = judgeFor(api, model, body, issuers.get(api)!);
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
    fc.property(longHistory, ({ messages }) => {
      for (const cut of cutPoints(messages)) {
        expect(messages[cut]!.facts.results).toEqual([]);
        expect(messages[cut]!.role).toMatch(/^(user|system)$/);
        const behind = new Set<string>();
        const before = messages.slice(0, cut).flatMap(({ facts }) => facts.calls.map(({ id }) => id));
        for (const { facts } of messages.slice(cut)) {
          for (const id of facts.results) if (!behind.has(id)) expect(before).not.toContain(id);
          for (const { id } of facts.calls) behind.add(id);
        }
      }
    }),
    { numRuns: RUNS },
  );
});
