/**
 * For `node:test`: answers what each test asks of models from the cassettes of that test.
 *
 * @example
 * node --import @skein/testing/node --test
 */
import { afterEach, beforeEach, type TestContext } from 'node:test';
import { createCassettePerTest, type TestWithCassettes } from './cassette-per-test.ts';

const cassettes = createCassettePerTest(process.env);
const running = new Map<unknown, TestWithCassettes>();

beforeEach((context) => {
  const { fullName, name, filePath } = context as TestContext & { readonly filePath?: string };
  const names = (fullName ?? name).split(' > ');
  running.set(context, cassettes.begin(filePath ?? process.argv[1] ?? process.cwd(), names));
});

afterEach(async (context) => {
  const test = running.get(context);
  running.delete(context);
  if (test) await cassettes.end(test);
});

/**
 * The folder with the cassettes of the running test; undefined outside of a test.
 *
 * @example
 * console.log(cassetteFolder()); // '/app/test/__cassettes__/chat.test.js/greets'
 */
export const cassetteFolder = (): string | undefined => cassettes.folder();
