import { t } from '../words/words.ts';
import { apiBase } from './base.ts';
import { readEvents } from './event-streams.ts';
import { ApiProblem, reach, readProblem } from './problem.ts';

/** An answer of a model to the last question of a conversation. */
export interface RerunAnswer {
  readonly thread: string;
  readonly model: string;
  readonly status: string;
  readonly node?: string;
  readonly isKept: boolean;
  readonly cost?: number;
  readonly durationMs?: number;
  readonly characters: number;
  readonly toolCalls: number;
  readonly differs: boolean;
  /** Where it differs: how many characters are the same before. */
  readonly difference?: { readonly at: number };
  readonly rating?: number;
  readonly error?: string;
  readonly text: string;
  readonly originalText: string;
}

interface RerunWish {
  readonly threads: readonly string[];
  readonly models: readonly string[];
  readonly maxCost?: number;
}

/** Lets other models answer the last question of conversations, and yields each answer as it arrives. */
export async function* rerun(wish: RerunWish, signal: AbortSignal): AsyncGenerator<RerunAnswer> {
  const headers = { 'content-type': 'application/json' };
  const response = await reach(
    fetch(`${apiBase}/rerun`, { method: 'POST', headers, body: JSON.stringify(wish), signal }),
  );
  if (!response.ok) throw await readProblem(response);
  for await (const { event, data } of readEvents(response)) {
    if (event === 'answer') yield JSON.parse(data) as RerunAnswer;
    if (event === 'done') return;
  }
  throw new ApiProblem(0, 'connection', t('api.rerun-cut'));
}
