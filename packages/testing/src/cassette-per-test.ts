import { basename, dirname, join } from 'node:path';
import { type CassetteFetch, type CassetteMode, type CassetteSummary, cassetteFetch } from '@skein/forest';

/** Replaces `fetch` for the time of each test by one that answers from the cassettes of that test. */
export interface CassettePerTest {
  /** Takes over `fetch`. `file` is the path of the test file, `names` the names of its groups and its own. */
  begin(file: string, names: readonly string[]): void;
  /** Gives `fetch` back and writes new cassettes. Throws if a request had no cassette, whatever the program made of that. */
  end(): Promise<void>;
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
  let current: { readonly fetch: CassetteFetch; readonly name: string; readonly cassette: string } | undefined;
  return {
    begin(file, names) {
      const name = names.join(' > ');
      const cassette = join(dirname(file), '__cassettes__', toName(basename(file)), toName(name));
      const fetch = cassetteFetch({ cassette, mode, fetch: original });
      current = { fetch, name, cassette };
      globalThis.fetch = fetch as typeof globalThis.fetch;
    },
    folder: () => current?.cassette,
    async end() {
      if (!current) return;
      const { fetch, name } = current;
      current = undefined;
      globalThis.fetch = original;
      refuseMisses(await fetch.finish(), name);
    },
  };
}

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
