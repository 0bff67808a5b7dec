/** Runs the table of one API: each case is refused when careless, and accepted as core writes it, which is as it was in the last release. */
import { describe, expect, test } from 'vitest';
import type { Api } from '../matrix/apis.ts';
import { Golden, printRequest } from '../written/golden.ts';
import { type Case, judged, sentAsStored, type Table, written } from './case.ts';

export function testTable(api: Api, rules: readonly string[], table: Table): void {
  const ids = rules.map((rule) => rule.replace(`${api.id}.`, ''));

  describe(`a history cannot break a rule of ${api.id}`, () => {
    test('every rule of the judge is in the table', () => {
      expect(Object.keys(table).sort()).toEqual([...ids].sort());
    });

    const golden = new Golden(`wire-rules-of-${api.id}`);
    const cases = Object.entries(table).filter((entry): entry is [string, Case] => typeof entry[1] !== 'string');
    test.each(cases)('%s', (id, given) => {
      const { refusal, warnings } = judged(api, sentAsStored(api, given), given);
      expect(refusal?.rule ?? warnings[0], refusal?.message).toBe(`${api.id}.${id}`);
      const { messages, request } = written(api, given);
      const { body } = request;
      expect(judged(api, body, given), body).toEqual({ refusal: undefined, warnings: [] });
      golden.expectSame(id, printRequest(request, messages).join('\n'));
    });

    test('where no history can break a rule, the table says why', () => {
      for (const entry of Object.values(table)) if (typeof entry === 'string') expect(entry).toMatch(/\w+ \w+/);
    });
  });
}
