import { diffPrefix } from '@skein/core';
import { createReplayer, type ListedExchange, listExchanges, type ReplayEvent, readRecorded } from '../record/index.ts';
import type { RecordingForest } from '../record/recorder.ts';
import { compareBy, createReplayCounter } from './cassette-fetch.ts';
import type { CassetteFolder } from './cassette-folder.ts';
import { type IgnoreRule, learnIgnoreRules } from './ignore-rules.ts';

/** Which recorded requests are compared with cassettes. */
export interface CassetteCheckOptions {
  readonly tag?: string;
  /** Start times from `since` up to, but not including, `until`, in milliseconds. */
  readonly since?: number;
  readonly until?: number;
}

/** Which recorded requests cassettes would answer. */
export interface CassetteCheck {
  /** How many requests were compared: the newest 500 at most. */
  readonly requests: number;
  readonly hits: number;
  readonly drifted: readonly DriftedRequest[];
  /** How many requests went to addresses that no cassette has: those of other programs. */
  readonly elsewhere: number;
  /** Cassettes that answer none of the requests, by their file names. */
  readonly unused: readonly string[];
  /** Rules under which more of the requests would be answered; a person decides whether they are right. */
  readonly proposals: readonly IgnoreRule[];
}

/** A recorded request that no cassette answers, although one has its address. */
export interface DriftedRequest {
  readonly exchange: string;
  readonly start: number;
  readonly method: string;
  readonly path: string;
  /** The nearest cassette. */
  readonly file: string;
  /** Where they differ. */
  readonly message: string;
}

/** How many requests are compared, the newest ones. */
const COMPARED = 500;

/**
 * Asks cassettes for the answers to recorded requests, as a replay would: what a program asks today, against what its tests have.
 *
 * @example
 * const { drifted, unused } = await checkCassettes(forest, await openCassettes('cassettes'), { tag: 'nightly' });
 */
export async function checkCassettes(
  forest: RecordingForest,
  cassettes: CassetteFolder,
  options: CassetteCheckOptions = {},
): Promise<CassetteCheck> {
  const { items } = await listExchanges(forest, { ...options, order: 'newest', limit: COMPARED });
  const asked = items.filter(({ kind, outcome }) => kind === 'generate' && outcome !== 'open').reverse();
  const counter = createReplayCounter();
  const drifted: DriftedRequest[] = [];
  const pairs: (readonly [string, string])[] = [];
  const events: ReplayEvent[] = [];
  const onReplay = (event: ReplayEvent) => {
    counter.onReplay(event);
    events.push(event);
  };
  const replayer = createReplayer(cassettes.forest, { compare: compareBy(cassettes), onReplay });
  for (const exchange of asked) {
    const request = await readRequest(forest, exchange);
    if (await isAnswered(() => replayer.answer(request))) continue;
    await (await replayer.refuse(request)).body?.cancel();
    const miss = events.at(-1);
    const nearest = miss?.kind === 'miss' ? miss.nearest : undefined;
    if (miss?.kind !== 'miss' || nearest === undefined) continue;
    const file = cassettes.files.get(nearest) ?? nearest;
    const { id, start, method, path } = exchange;
    drifted.push({ exchange: id, start, method, path, file, message: miss.message.replace(nearest, file) });
    const recorded = (await readRecorded(cassettes.forest, nearest))?.request;
    if (recorded) pairs.push([toText(recorded), toText(request.body)]);
  }
  const { hits, unused } = counter.summary(cassettes, []);
  const elsewhere = asked.length - hits - drifted.length;
  return { requests: asked.length, hits, drifted, elsewhere, unused, proposals: proposeRules(pairs) };
}

async function readRequest(forest: RecordingForest, { id, method, host, path, query, provider }: ListedExchange) {
  const recorded = await readRecorded(forest, id);
  return {
    ...{ method, url: `https://${host}${path}${query === '' ? '' : `?${query}`}`, headers: [] },
    body: recorded?.request ?? new Uint8Array(),
    ...(provider !== undefined && { provider }),
  };
}

/** Whether a cassette answers; one that has a failure answers, too. */
async function isAnswered(answer: () => Promise<Response | undefined>): Promise<boolean> {
  try {
    const response = await answer();
    await response?.body?.cancel();
    return response !== undefined;
  } catch {
    return true;
  }
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Rules for what changes from run to run. A request that says something else has drifted, and nothing may hide that. */
function proposeRules(pairs: readonly (readonly [recorded: string, asked: string])[]): readonly IgnoreRule[] {
  const volatile = pairs.filter((pair) => {
    const rules = learnIgnoreRules([pair]);
    return rules.length > 0 && (rules.every(({ match }) => match !== undefined) || hasSameWords(pair));
  });
  return learnIgnoreRules(volatile);
}

/** Whether two requests have the same tools, system text and messages, so that only parameters differ. */
function hasSameWords([recorded, asked]: readonly [string, string]): boolean {
  try {
    return diffPrefix(recorded, asked) === undefined && diffPrefix(asked, recorded) === undefined;
  } catch {
    return false;
  }
}
