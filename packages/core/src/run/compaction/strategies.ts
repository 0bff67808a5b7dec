import { type Message, user } from '../../message/index.ts';
import { modelInfo, parseModel } from '../../providers/index.ts';
import type { ModelLimits, RunOptions } from '../options.ts';
import { estimateTokens, isRunError, type RunResult, type Step } from '../result.ts';
import { run } from '../run.ts';
import { type Checkpoint, leadingSystem } from './checkpoint.ts';

/**
 * Decides before each request whether the history has become too long, and what stands for its front from now on.
 * Undefined: it goes out as it is. Throwing: it should be shorter, and cannot be.
 */
export type Compaction = (
  input: CompactionInput,
) => Promise<CompactionResult | undefined> | CompactionResult | undefined;

/** What stands for the front of a history from now on. */
export interface CompactionResult {
  /** One of `cuts`: the first message that is still sent itself. */
  readonly upTo: number;
  /** What is sent for the messages before it, as texts in Skein's own content-block JSON. */
  readonly replacement: Checkpoint['replacement'];
}

/** What a compaction decides by. */
export interface CompactionInput {
  readonly stored: readonly Message[];
  /** What would be sent now: `stored` with the checkpoint in place of what it stands for. */
  readonly sent: readonly Message[];
  /** The checkpoint in use. */
  readonly checkpoint: Checkpoint | undefined;
  /** The indexes in `stored`, ascending, before which may be cut. Each begins a turn; there is one more turn before the first. */
  readonly cuts: readonly number[];
  /** A rough estimate of `sent` and the system text. */
  readonly tokens: number;
  /** The model that is about to be asked. */
  readonly limits: ModelLimits;
  readonly signal: AbortSignal;
  /** Tells of a failure that something else makes up for. */
  readonly failed: (reason: unknown) => void;
  /** Takes the requests that were made for this: their usage and cost count in those of the run. */
  readonly spent: (steps: readonly Step[]) => void;
}

/** Tokens, or a share of the model's context (0.7: seven tenths of it). */
export type Budget = number | { readonly share: number };

/**
 * Sends the last `turns` turns only, once there are more than `above` (default: twice as many). Between two cuts,
 * each request extends the one before: the further `above` is from `turns`, the fewer cuts.
 *
 * @example
 * await run({ model, messages, compaction: keepLast(10) }).result;
 */
export function keepLast(turns: number, options: { readonly above?: number } = {}): Compaction {
  const { above = turns * 2 } = options;
  if (!(Number.isInteger(turns) && turns >= 1 && above >= turns))
    throw new TypeError(
      `keepLast takes a whole number of turns from 1, and "above" no smaller, not ${turns}, ${above}`,
    );
  return ({ cuts, checkpoint }) =>
    cuts.length + 1 > above ? { upTo: cuts.at(-turns)!, replacement: checkpoint?.replacement ?? [] } : undefined;
}

/**
 * Leaves out the oldest turns once the request exceeds the budget, until at most `keep` of it (default: half) is left.
 *
 * @example
 * await run({ model, messages, compaction: withinTokens({ share: 0.7 }) }).result;
 */
export function withinTokens(budget: Budget, options: { readonly keep?: number } = {}): Compaction {
  const { keep = 0.5 } = options;
  return (input) => {
    const most = toTokens(budget, input);
    if (input.tokens <= most) return undefined;
    return { upTo: chooseCut(most * keep, input.cuts, input), replacement: input.checkpoint?.replacement ?? [] };
  };
}

/**
 * Applies the first compaction that has a result. One that fails is skipped, and a notice reports it.
 *
 * @example
 * const compaction = firstOf(summarise({ model: 'openai/gpt-5.5' }), keepLast(10));
 */
export function firstOf(...strategies: readonly Compaction[]): Compaction {
  return async (input) => {
    const reasons: unknown[] = [];
    for (const strategy of strategies) {
      try {
        const result = await strategy(input);
        if (!result) continue;
        if (reasons.length > 0) input.failed(reasons[0]);
        return result;
      } catch (reason) {
        reasons.push(reason);
      }
    }
    if (reasons.length > 0) throw reasons[0];
    return undefined;
  };
}

/** The model that summarises, and how to reach it. Of the run that is compacted, only the signal is used. */
export interface SummariseOptions
  extends Omit<
    RunOptions,
    'messages' | 'tools' | 'approvals' | 'outgoing' | 'compaction' | 'checkpoints' | 'previous' | 'signal' | 'stopWhen'
  > {
  /** The number of tokens above which a summary is made; default: six tenths of the smaller context, of the model that is asked or the one that summarises. */
  readonly above?: Budget | undefined;
  /** How many turns at most stay unchanged; default 2. */
  readonly keep?: number | undefined;
}

/** A summary that ended for one of these reasons is complete. */
const WHOLE: ReadonlySet<string> = new Set(['end', 'stop-sequence', 'unknown']);

/** Six tenths, because GPT-5 takes 272,000 of its 400,000 tokens as input, the estimate is rough, and tools are not counted. */
const SHARE = 0.6;

/**
 * Replaces all but the last turns by a summary that a model writes.
 *
 * @example
 * await run({ model, messages, compaction: summarise({ model: 'openai/gpt-5.5', keep: 3 }) }).result;
 */
export function summarise(options: SummariseOptions): Compaction {
  const { above, keep = 2, ...asking } = options;
  return async (input) => {
    const { stored, sent, cuts, signal } = input;
    const most = above === undefined ? defaultBudget(asking, input) : toTokens(above, input);
    if (input.tokens <= most) return undefined;
    const upTo = chooseCut(most / 2, cuts.slice(-Math.max(1, keep)), input);
    const before = sent.slice(leadingSystem(stored), upTo - (stored.length - sent.length));
    // Loaded on first use: most runs are short.
    const { PREFACE, SYSTEM, transcript } = await import('./transcript.ts');
    const { system = SYSTEM } = asking;
    const messages = [user(`<conversation>\n${transcript(before)}\n</conversation>`)];
    const { text, stop } = await told(run({ ...asking, system, messages, signal }).result, input.spent);
    if (!WHOLE.has(stop.reason)) throw new Error(`the summary ended early (${stop.native ?? stop.reason})`);
    if (text.trim() === '') throw new Error('the summary is empty');
    return { upTo, replacement: [user(`${PREFACE}\n\n${text.trim()}`).raw] };
  };
}

/** A conversation that does not fit into the summarising model could not be summarised. */
function defaultBudget(
  { model, modelLimits }: Pick<RunOptions, 'model' | 'modelLimits'>,
  input: CompactionInput,
): number {
  const summariser = typeof model === 'string' ? parseModel(model) : model;
  const limits =
    modelLimits?.(summariser.provider.id, summariser.model) ?? modelInfo(summariser.provider, summariser.model);
  return Math.min(toTokens({ share: SHARE }, input), (limits.contextTokens ?? Infinity) * SHARE);
}

/** Reports what a summary cost, also when it failed. */
async function told(result: Promise<RunResult>, spent: (steps: readonly Step[]) => void): Promise<RunResult> {
  try {
    const done = await result;
    spent(done.steps);
    return done;
  } catch (error) {
    if (isRunError(error)) spent(error.steps);
    throw error;
  }
}

function toTokens(budget: Budget, { limits }: CompactionInput): number {
  if (typeof budget === 'number') return budget;
  if (limits.contextTokens !== undefined) return limits.contextTokens * budget.share;
  throw new Error(`the size of the model's context is not known: give the budget in tokens, or "modelLimits"`);
}

/** The first cut that leaves at most so many tokens; otherwise the last cut, which leaves the fewest. */
function chooseCut(tokens: number, cuts: readonly number[], input: CompactionInput): number {
  const { stored, checkpoint } = input;
  const last = cuts.at(-1);
  if (last === undefined) throw new Error('what is sent is a single turn, which cannot be cut');
  let at = checkpoint?.upTo ?? leadingSystem(stored);
  let left = input.tokens;
  for (const cut of cuts) {
    left -= estimateTokens(stored.slice(at, cut));
    at = cut;
    if (left <= tokens) return cut;
  }
  return last;
}
