import { expect, test } from 'vitest';
import { summarise } from './test-report.mjs';

const file = (
  name: string,
  status: string,
  results: Parameters<typeof summarise>[0]['testResults'][0]['assertionResults'],
  more = {},
) => ({
  name,
  status,
  startTime: 0,
  endTime: 0,
  assertionResults: results,
  ...more,
});

test('a part that cannot start is one failure with its reason, however many tests need it', () => {
  const why = 'No database for the tests: Error: PostgreSQL did not start: initdb does not run: EACCES';
  const skipped = [{ fullName: 'a query', status: 'skipped' }];
  const { failed } = summarise({
    testResults: [
      file('one.test.ts', 'failed', skipped, { message: why }),
      file('two.test.ts', 'failed', skipped, { message: why }),
      file('three.test.ts', 'failed', [
        { fullName: 'in the middle', status: 'failed', failureMessages: [`${why}\n    at somewhere`] },
      ]),
      file('four.test.ts', 'failed', [{ fullName: 'a fault', status: 'failed', failureMessages: ['expected 1'] }]),
      file('five.test.ts', 'failed', [], { message: 'SyntaxError' }),
    ],
  });
  expect(failed).toEqual([
    'four.test.ts: a fault',
    'five.test.ts: the file itself failed',
    'PostgreSQL did not start: initdb does not run: EACCES (3 test files need it)',
  ]);
});

test('the slowest files come first', () => {
  const { slowest, passed } = summarise({
    testResults: [
      file('quick.test.ts', 'passed', [{ fullName: 'x', status: 'passed' }], { endTime: 10 }),
      file('slow.test.ts', 'passed', [{ fullName: 'y', status: 'passed' }], { endTime: 2500 }),
    ],
  });
  expect(passed).toBe(2);
  expect(slowest).toEqual([
    { name: 'slow.test.ts', seconds: 2.5 },
    { name: 'quick.test.ts', seconds: 0.01 },
  ]);
});
