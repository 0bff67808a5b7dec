import {
  createReplayer,
  type RecordFetchOptions,
  type ReplayEvent,
  readAddress,
  recordFetch,
} from '../record/index.ts';
import { type CassetteFolder, type CassetteOptions, openCassettes, removeCassettes } from './cassette-folder.ts';
import { applyIgnoreRules } from './ignore-rules.ts';

/**
 * What is done with requests: `replay` answers from the cassettes and refuses what they do not have; `record-missing` asks the
 * provider for that and keeps it; `re-record` asks the provider for everything, and replaces the cassettes.
 */
export type CassetteMode = 'replay' | 'record-missing' | 're-record';

/** Options of `cassetteFetch`. */
export interface CassetteFetchOptions
  extends Pick<RecordFetchOptions, 'tags' | 'provider' | 'fetch' | 'onError'>,
    CassetteOptions {
  /** The folder of the cassettes. */
  readonly cassette: string;
  /** Default: `replay`. */
  readonly mode?: CassetteMode;
}

/** What happened to the requests of a run. */
export interface CassetteSummary {
  readonly hits: number;
  /** Requests that no cassette answers, each with the nearest one and where it differs. */
  readonly misses: readonly Extract<ReplayEvent, { kind: 'miss' }>[];
  /** The names of rules that were needed for a match, with how often. */
  readonly ignored: ReadonlyMap<string, number>;
  /** Cassettes that answered nothing, by their file names. */
  readonly unused: readonly string[];
  /** Cassettes that were written. */
  readonly written: readonly string[];
}

/** A `fetch` that answers from cassettes. */
export interface CassetteFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Waits for what is being recorded, writes it, and tells what happened. */
  finish(): Promise<CassetteSummary>;
}

/** Counts what a replayer tells. */
export interface ReplayCounter {
  readonly onReplay: (event: ReplayEvent) => void;
  summary(cassettes: CassetteFolder, written: readonly string[]): CassetteSummary;
}

/**
 * Counts the hits and misses of a replayer.
 *
 * @example
 * const counter = createReplayCounter();
 * const replayer = createReplayer(cassettes.forest, { onReplay: counter.onReplay });
 * counter.summary(cassettes, []).misses;
 */
export function createReplayCounter(): ReplayCounter {
  const used = new Set<string>();
  const misses: CassetteSummary['misses'][number][] = [];
  const ignored = new Map<string, number>();
  let hits = 0;
  return {
    onReplay(event) {
      if (event.kind === 'miss') misses.push(event);
      else {
        hits++;
        used.add(event.exchange);
        for (const name of event.ignored) ignored.set(name, (ignored.get(name) ?? 0) + 1);
      }
    },
    summary: ({ files }, written) => ({
      hits,
      misses,
      ignored,
      written,
      unused: [...files].filter(([id, name]) => !used.has(id) && !written.includes(name)).map(([, name]) => name),
    }),
  };
}

/**
 * What a replayer compares, by the rules of the cassettes.
 *
 * @example
 * createReplayer(cassettes.forest, { compare: compareBy(cassettes) });
 */
export function compareBy({ ignore }: Pick<CassetteFolder, 'ignore'>) {
  return (body: string) => {
    const { text, applied } = applyIgnoreRules(body, ignore);
    return { text, ignored: applied.map(({ path, match }) => (match === undefined ? path : `${path} =~ ${match}`)) };
  };
}

/**
 * Returns a `fetch` for any SDK that answers requests to models from a folder of cassettes. Other requests go where they went.
 *
 * @example
 * const fetch = cassetteFetch({ cassette: 'cassettes/weather', mode: 'record-missing' });
 * const openai = new OpenAI({ fetch });
 * // … the test …
 * const { misses } = await fetch.finish();
 */
export function cassetteFetch(options: CassetteFetchOptions): CassetteFetch {
  const { cassette, mode = 'replay', fetch: send = (input, init) => globalThis.fetch(input, init), ...rest } = options;
  const counter = createReplayCounter();
  const { onReplay } = counter;
  const opening = (async () => {
    if (mode === 're-record') removeCassettes(cassette);
    const cassettes = await openCassettes(cassette, options);
    const compare = compareBy(cassettes);
    const replay = recordFetch(cassettes.forest, {
      ...rest,
      fetch: send,
      mode: mode === 're-record' ? 'record' : 'replay',
      onMiss: mode === 'replay' ? 'refuse' : 'pass',
      replayer: createReplayer(cassettes.forest, { compare, onReplay }),
    });
    return { cassettes, replay };
  })();
  // Whoever calls sees the failure; until then it is not unhandled.
  opening.catch(() => undefined);

  return Object.assign(
    async (input: string | URL | Request, init?: RequestInit) => {
      const url = new URL(typeof input === 'object' && 'url' in input ? input.url : String(input));
      const method = (
        init?.method ?? (typeof input === 'object' && 'method' in input ? input.method : 'GET')
      ).toUpperCase();
      const isForModels = readAddress(method, url.pathname, options.provider).kind !== 'other';
      return isForModels ? (await opening).replay(input, init) : send(input, init);
    },
    {
      async finish() {
        const { cassettes, replay } = await opening;
        await replay.settled();
        return counter.summary(cassettes, await cassettes.save());
      },
    },
  );
}
