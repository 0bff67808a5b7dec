import { AsyncLocalStorage } from 'node:async_hooks';
import { basename, dirname, join } from 'node:path';
import { type CassetteFetch, type CassetteMode, type CassetteSummary, cassetteFetch } from '@skein/forest';

/** A test that runs, with its own cassettes. */
export interface TestWithCassettes {
  readonly name: string;
  /** The folder with its cassettes. */
  readonly cassette: string;
  readonly fetch: CassetteFetch;
}

/** Replaces `fetch` for the time of each test by one that answers from the cassettes of that test. */
export interface CassettePerTest {
  /** Takes over `fetch`. `file` is the path of the test file, `names` the names of its groups and its own. */
  begin(file: string, names: readonly string[]): TestWithCassettes;
  /** Runs a test so that its requests are told from those of tests that run at the same time. */
  within<T>(test: TestWithCassettes, run: () => T): T;
  /** Gives `fetch` back and writes new cassettes. Throws if a request had no cassette, whatever the program made of that. */
  end(test: TestWithCassettes): Promise<void>;
  /** The folder with the cassettes of the running test. */
  folder(): string | undefined;
}

const MODES: readonly CassetteMode[] = ['replay', 'record-missing', 're-record'];

/**
 * Cassettes are in `__cassettes__/<test file>/<test name>` beside the test file. `SKEIN_CASSETTES` sets the mode: `replay` (the
 * default), `record-missing` or `re-record`.
 */
export function createCassettePerTest(env: NodeJS.ProcessEnv): CassettePerTest {
  const mode = readMode(env.SKEIN_CASSETTES);
  const original = globalThis.fetch;
  const running = new Set<TestWithCassettes>();
  const asking = new AsyncLocalStorage<TestWithCassettes>();
  /** Tests during which a request could not be told from that of another test. */
  const confused = new Set<TestWithCassettes>();

  const current = () => asking.getStore() ?? (running.size === 1 ? [...running][0] : undefined);
  const dispatch: typeof globalThis.fetch = async (input, init) => {
    const test = current();
    if (test) return test.fetch(input as string | URL | Request, init);
    if (running.size === 0) return original(input, init);
    for (const one of running) confused.add(one);
    throw new Error(AT_THE_SAME_TIME);
  };

  return {
    begin(file, names) {
      const name = names.join(' > ');
      const cassette = join(dirname(file), '__cassettes__', toName(basename(file)), toName(name));
      const test = { name, cassette, fetch: cassetteFetch({ cassette, mode, fetch: original }) };
      running.add(test);
      globalThis.fetch = dispatch;
      return test;
    },
    within: (test, run) => asking.run(test, run),
    folder: () => current()?.cassette,
    async end(test) {
      running.delete(test);
      if (running.size === 0) globalThis.fetch = original;
      const summary = await test.fetch.finish();
      if (confused.delete(test)) throw new Error(`"${test.name}": ${AT_THE_SAME_TIME}`);
      refuseMisses(summary, test.name);
    },
  };
}

const AT_THE_SAME_TIME =
  'Tests that run at the same time in one process share one fetch, so it is not known whose cassettes answer. Run them one after the other, or give each a cassetteFetch of its own.';

function readMode(text: string | undefined): CassetteMode {
  const mode = MODES.find((one) => one === (text || 'replay'));
  if (!mode) throw new TypeError(`SKEIN_CASSETTES is "${text}"; use one of: ${MODES.join(' ')}`);
  return mode;
}

/** A name that every file system takes. */
function toName(text: string): string {
  return text.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 120);
}

function refuseMisses({ misses }: CassetteSummary, test: string): void {
  const [first] = misses;
  if (!first) return;
  const more = misses.length > 1 ? ` (and ${misses.length - 1} more)` : '';
  throw new Error(
    `"${test}" asked for what no cassette answers${more}: ${first.message} SKEIN_CASSETTES=record-missing records it.`,
  );
}
