import { user } from '../../message/index.ts';
import { modelInfo, parseModel } from '../../providers/index.ts';
import { RunError } from '../errors.ts';
import { run } from '../run.ts';
import type { RunOptions, RunResult, Step } from '../types.ts';
import { cutFor, tokensOf } from './budget.ts';
import { leadingSystem } from './checkpoint.ts';
import type { Budget, Compaction, CompactionInput } from './types.ts';

/** The model that summarises, and how it is reached. Nothing is taken from the run that is compacted but its signal. */
export interface SummariseOptions
  extends Omit<
    RunOptions,
    'messages' | 'tools' | 'approvals' | 'outgoing' | 'compaction' | 'checkpoints' | 'previous' | 'signal' | 'stopWhen'
  > {
  /** Above how many tokens; default: six tenths of the context of the model that is asked or that summarises, whichever is smaller. */
  readonly above?: Budget | undefined;
  /** How many turns at most stay as they are; default 2. */
  readonly keep?: number | undefined;
}

/** Reasons to end with which a summary is whole. */
const WHOLE: ReadonlySet<string> = new Set(['end', 'stop-sequence', 'unknown']);

/** Six tenths: GPT-5 takes 272,000 of its 400,000 tokens as input, the estimate is rough, and tools are not counted. */
const SHARE = 0.6;

/** Puts a summary by a model in place of all but the last turns. */
export function summarise(options: SummariseOptions): Compaction {
  const { above, keep = 2, ...asking } = options;
  return async (input) => {
    const { stored, sent, cuts, signal } = input;
    const most = above === undefined ? defaultBudget(asking, input) : tokensOf(above, input);
    if (input.tokens <= most) return undefined;
    const upTo = cutFor(most / 2, cuts.slice(-Math.max(1, keep)), input);
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

/** A conversation that the summarising model cannot take in would never be summarised. */
function defaultBudget(
  { model, modelLimits }: Pick<RunOptions, 'model' | 'modelLimits'>,
  input: CompactionInput,
): number {
  const summariser = typeof model === 'string' ? parseModel(model) : model;
  const limits =
    modelLimits?.(summariser.provider.id, summariser.model) ?? modelInfo(summariser.provider, summariser.model);
  return Math.min(tokensOf({ share: SHARE }, input), (limits.contextTokens ?? Infinity) * SHARE);
}

/** What a summary cost is told, also when it came to nothing. */
async function told(result: Promise<RunResult>, spent: (steps: readonly Step[]) => void): Promise<RunResult> {
  try {
    const done = await result;
    spent(done.steps);
    return done;
  } catch (error) {
    if (error instanceof RunError) spent(error.steps);
    throw error;
  }
}
