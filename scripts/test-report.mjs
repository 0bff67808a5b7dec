// The summary that `npm test` prints of a vitest run.

/**
 * @typedef {{ fullName: string, status: string, failureMessages?: readonly string[] | null }} TestResult
 * @typedef {{ name: string, status: string, message?: string, startTime: number, endTime: number, assertionResults: readonly TestResult[] }} FileResult
 * @typedef {{ passed: number, failed: string[], skipped: string[], slowest: { name: string, seconds: number }[] }} Summary
 */

/** The error text of a database or a browser that did not start. */
const NOT_STARTED = /\b(\S+ did not start: .*)/;
const SHOWN = 12;

/**
 * The tests that passed, failed and were skipped. A part that did not start is one failure, however many tests need it.
 * @param {{ testResults: readonly FileResult[] }} report as vitest's JSON reporter writes it
 * @returns {Summary}
 */
export function summarise({ testResults }) {
  /** @type {Summary} */
  const summary = { passed: 0, failed: [], skipped: [], slowest: [] };
  /** @type {Map<string, Set<string>>} */
  const missing = new Map();
  /** @type {(file: string, what: string, words: string) => void} */
  const fail = (file, what, words) => {
    const part = NOT_STARTED.exec(words)?.[1];
    if (part === undefined) summary.failed.push(`${file}: ${what}`);
    else missing.set(part, (missing.get(part) ?? new Set()).add(file));
  };
  for (const { name, status, message = '', assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    for (const { fullName, failureMessages } of failed) fail(name, fullName, failureMessages?.join('\n') ?? '');
    if (status === 'failed' && failed.length === 0) fail(name, 'the file itself failed', message);
    for (const test of assertionResults) {
      if (test.status === 'passed') summary.passed += 1;
      else if (test.status !== 'failed') summary.skipped.push(`${name}: ${test.fullName}`);
    }
  }
  for (const [part, files] of missing) summary.failed.push(`${part} (${files.size} test files need it)`);
  summary.slowest = testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SHOWN);
  return summary;
}
