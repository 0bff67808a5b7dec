import {
  diffPrefix,
  isJson,
  joinManifest,
  type Manifest,
  type Message,
  type WrittenRequest,
  writeRequest,
} from '@skein/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../scripts/test-shares.ts';
import { APIS, type Api, judgeFor, runsPerModel } from './apis.ts';
import { type History, randomHistory } from './random-history.ts';

const RUNS = runs(runsPerModel(720));

function write(api: Api, model: string, messages: readonly Message[], previous?: Manifest): WrittenRequest {
  const params = { maxTokens: 2048 };
  return writeRequest(api.dialect, { model, messages, params, ...(previous && { previous }) });
}

function expectAccepted(api: Api, model: string, written: WrittenRequest, { issuers }: History): void {
  const verdict = judgeFor(api, model, written.body, issuers.get(api)!);
  expect(verdict, written.body).toEqual({ refusal: undefined, warnings: [] });
}

for (const api of APIS) {
  for (const model of api.models) {
    const check = (property: (history: History) => void) =>
      fc.assert(fc.property(randomHistory, property), { numRuns: RUNS });

    test(`any history is accepted by ${model} (${api.id}), whole and cut anywhere`, () => {
      check((history) => {
        const { messages } = history;
        for (let start = 0; start < messages.length; start += 3) {
          for (let end = start + 1; end <= messages.length; end++) {
            const part = messages.slice(start, end);
            const written = write(api, model, part);
            expect(joinManifest(written.manifest, (index) => part[index]!.raw)).toBe(written.body);
            expectAccepted(api, model, written, history);
          }
        }
      });
    });

    test(`a request to ${model} (${api.id}) that knows the one before extends it, whatever was stored between`, () => {
      check((history) => {
        let previous: WrittenRequest | undefined;
        for (let end = 1; end <= history.messages.length; end++) {
          const written = write(api, model, history.messages.slice(0, end), previous?.manifest);
          expect(isJson(written.body)).toBe(true);
          expect(new TextDecoder().decode(written.bytes())).toBe(written.body);
          expectAccepted(api, model, written, history);
          // Where roles alternate, a message may be added to the last one.
          const { alternateRoles } = api.dialect.home.policies;
          if (!alternateRoles && previous && previous.manifest.start === written.manifest.start)
            expect(diffPrefix(previous.body, written.body)).toBeUndefined();
          previous = written;
        }
      });
    });
  }
}
