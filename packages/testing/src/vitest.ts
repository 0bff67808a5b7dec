/**
 * A setup file for vitest: answers what each test asks of models from the cassettes of that test.
 *
 * @example
 * export default defineConfig({ test: { setupFiles: ['@skein/testing/vitest'] } });
 */
import * as vitest from 'vitest';
import { createCassettePerTest, type TestWithCassettes } from './cassette-per-test.ts';

const cassettes = createCassettePerTest(process.env);

/** A test or a group of tests, as vitest describes it. */
interface Task {
  readonly name: string;
  readonly suite?: unknown;
}

function begin(task: Task & { readonly file: { readonly filepath: string } }): TestWithCassettes {
  const names: string[] = [];
  for (let one: Task | undefined = task; one; one = one.suite as Task | undefined) names.unshift(one.name);
  return cassettes.begin(task.file.filepath, names);
}

// Around a test, its requests can be told from those of tests that run at the same time. vitest has it from 4.1 on.
if ('aroundEach' in vitest)
  vitest.aroundEach(async (runTest, { task }) => {
    const test = begin(task);
    try {
      await cassettes.within(test, runTest);
    } finally {
      await cassettes.end(test);
    }
  });
else {
  const { beforeEach, afterEach } = vitest as typeof import('vitest');
  const running = new Map<unknown, TestWithCassettes>();
  beforeEach(({ task }) => void running.set(task, begin(task)));
  afterEach(async ({ task }) => {
    const test = running.get(task);
    running.delete(task);
    if (test) await cassettes.end(test);
  });
}

/**
 * The folder with the cassettes of the running test; undefined outside of a test.
 *
 * @example
 * console.log(cassetteFolder()); // '/app/test/__cassettes__/chat.test.js/greets'
 */
export const cassetteFolder = (): string | undefined => cassettes.folder();
