/**
 * For `node:test`: answers what each test asks of models from the cassettes of that test.
 *
 * @example
 * node --import @skein/testing/node --test
 */
import { afterEach, beforeEach, type TestContext } from 'node:test';
import { createCassettePerTest } from './cassette-per-test.ts';

const cassettes = createCassettePerTest(process.env);

beforeEach((context) => {
  const { fullName, name, filePath } = context as TestContext & { readonly filePath?: string };
  cassettes.begin(filePath ?? process.argv[1] ?? process.cwd(), (fullName ?? name).split(' > '));
});

afterEach(() => cassettes.end());

/**
 * The folder with the cassettes of the running test; undefined outside of a test.
 *
 * @example
 * console.log(cassetteFolder()); // '/app/test/__cassettes__/chat.test.js/greets'
 */
export const cassetteFolder = (): string | undefined => cassettes.folder();
