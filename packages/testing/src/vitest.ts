/**
 * A setup file for vitest: answers what each test asks of models from the cassettes of that test.
 *
 * @example
 * export default defineConfig({ test: { setupFiles: ['@skein/testing/vitest'] } });
 */
import { afterEach, beforeEach } from 'vitest';
import { createCassettePerTest } from './cassette-per-test.ts';

const cassettes = createCassettePerTest(process.env);

beforeEach(({ task }) => {
  const names: string[] = [];
  for (
    let one: { readonly name: string; readonly suite?: unknown } | undefined = task;
    one;
    one = one.suite as typeof one
  )
    names.unshift(one.name);
  cassettes.begin(task.file.filepath, names);
});

afterEach(() => cassettes.end());

/**
 * The folder with the cassettes of the running test; undefined outside of a test.
 *
 * @example
 * console.log(cassetteFolder()); // '/app/test/__cassettes__/chat.test.js/greets'
 */
export const cassetteFolder = (): string | undefined => cassettes.folder();
