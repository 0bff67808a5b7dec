import { diffPrefix } from '@skein/core';
import { everyItem } from '../forest/pages.ts';
import { EXCHANGES, type Exchange, exchangeOf } from './exchange.ts';
import { readRequestBody } from './read-parts.ts';
import type { RecordingForest } from './recorder.ts';

/** What is compared of a request that is to be answered from recordings. */
export interface RequestToReplay {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

/** No recording answers a request: which one comes nearest, and where they part. */
export interface Miss {
  readonly nearest?: string;
  readonly message: string;
}

/** How many recordings are compared for a miss; the newest. */
const COMPARED = 200;

/** Every recording that has an answer, by what a replay compares and in recorded order. */
export async function recordingsByKey(forest: RecordingForest): Promise<Map<string, Exchange[]>> {
  const found = new Map<string, Exchange[]>();
  for await (const exchange of everyExchange(forest)) {
    const { replayKey, outcome } = exchange;
    if (replayKey === undefined || outcome === 'open') continue;
    const same = found.get(replayKey);
    if (same) same.push(exchange);
    else found.set(replayKey, [exchange]);
  }
  return found;
}

/** Says what was asked for, what is there, and where the two part. */
export async function describeMiss(forest: RecordingForest, request: RequestToReplay): Promise<Miss> {
  const asked = `No recording answers ${request.method} ${request.path}.`;
  let candidates: Exchange[] = [];
  for await (const exchange of everyExchange(forest)) {
    if (exchange.path !== request.path || exchange.method !== request.method || exchange.outcome === 'open') continue;
    candidates.push(exchange);
    if (candidates.length > COMPARED * 2) candidates = candidates.slice(-COMPARED);
  }
  let best: { exchange: Exchange; rank: number; message: string } | undefined;
  for (const exchange of candidates.slice(-COMPARED)) {
    const bytes = await readRequestBody(forest.store, exchange.id);
    const compared = compare(Buffer.from(bytes ?? []).toString(), request.body);
    if (!best || compared.rank >= best.rank) best = { exchange, ...compared };
  }
  if (!best) return { message: `${asked} Nothing was recorded at this address: record it first.` };
  const { exchange, message } = best;
  return { nearest: exchange.id, message: `${asked} The nearest is ${exchange.id}: ${message}` };
}

const PARTS = ['system', 'tools', 'messages'] as const;

/** How far two requests go together, and what comes then. */
function compare(recorded: string, asked: string): { rank: number; message: string } {
  try {
    const difference = diffPrefix(recorded, asked);
    if (!difference) {
      const isLonger = diffPrefix(asked, recorded) !== undefined;
      const message = isLonger ? 'the request has more messages.' : 'only parameters differ.';
      return { rank: isLonger ? 1e9 : 2e9, message };
    }
    const { part, index, before, after } = difference;
    return {
      rank: PARTS.indexOf(part) * 1e6 + index,
      message: `they part at ${part}[${index}], recorded ${shown(before)}, asked ${shown(after)}.`,
    };
  } catch {
    return { rank: -1, message: 'the bodies cannot be compared.' };
  }
}

function shown(text: string | undefined): string {
  if (text === undefined) return 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

async function* everyExchange({ store }: RecordingForest): AsyncGenerator<Exchange> {
  for await (const entry of everyItem((page) => store.entries('exchange', { of: EXCHANGES, ...page }))) {
    const exchange = exchangeOf(entry);
    if (exchange) yield exchange;
  }
}
