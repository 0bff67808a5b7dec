import type { Message } from '../../message/index.ts';
import { unlessAborted } from '../../providers/transport/clock.ts';
import type { ModelLimits } from '../options.ts';
import type { RunContext } from '../question.ts';
import { estimateText, estimateTokens, joinSystem, type Step } from '../result.ts';
import { applyCheckpoint, type Checkpoint, cutPoints, rangeDigest, readReplacement } from './checkpoint.ts';
import type { Compaction, CompactionResult } from './strategies.ts';

interface InUse {
  readonly checkpoint: Checkpoint | undefined;
  readonly sent: readonly Message[];
}

/** Makes what is sent of what is stored. Whatever goes wrong here, the request goes out. */
export class Compactor {
  readonly #context: RunContext;
  #hasFailed = false;
  #hasTold = false;

  constructor(context: RunContext) {
    this.#context = context;
  }

  async outgoing(stored: readonly Message[], limits: ModelLimits): Promise<readonly Message[]> {
    const { options, stopping } = this.#context;
    const { compaction } = options;
    const { signal } = stopping;
    const inUse = this.#inUse(stored);
    // What failed once would fail, and might cost, before every request.
    if (!compaction || this.#hasFailed) return inUse.sent;
    try {
      return (await this.#compact(compaction, stored, inUse, limits)) ?? inUse.sent;
    } catch (reason) {
      if (!signal.aborted) {
        this.#hasFailed = true;
        this.#tell(reason, 'The history could not be made shorter');
      }
      return inUse.sent;
    }
  }

  /** The newest checkpoint that is of this history: another branch may have parted before the last one. */
  #inUse(stored: readonly Message[]): InUse {
    const { checkpoints, notice } = this.#context.journal;
    for (const [back, checkpoint] of checkpoints.toReversed().entries()) {
      const sent = tryApply(stored, checkpoint);
      if (back > 0 || !sent)
        notice('compaction', 'The last checkpoint is not of this history; an earlier one is used, or none');
      if (sent) return { checkpoint, sent };
    }
    return { checkpoint: undefined, sent: stored };
  }

  async #compact(
    compaction: Compaction,
    stored: readonly Message[],
    { checkpoint, sent }: InUse,
    limits: ModelLimits,
  ): Promise<readonly Message[] | undefined> {
    const { journal, options, stopping } = this.#context;
    const { checkpoints, notice } = journal;
    const spent = (steps: readonly Step[]): void => this.#pay(steps);
    const { signal } = stopping;
    const cuts = cutPoints(stored).filter((cut) => cut > (checkpoint?.upTo ?? 0));
    const tokens = estimateTokens(sent);
    const failed = (reason: unknown): void => {
      if (!signal.aborted) this.#tell(reason, 'The history is made shorter in another way than the first');
    };
    const all = tokens + estimateText(joinSystem(options.system));
    const input = { stored, sent, checkpoint, cuts, tokens: all, limits, signal, failed, spent };
    // Whoever stops a run does not wait for a summary.
    const result = await unlessAborted((async () => compaction(input))(), signal);
    if (!result) return undefined;
    const next = makeCheckpoint(result, stored, cuts);
    const shorter = applyCheckpoint(stored, next)!;
    const left = estimateTokens(shorter);
    if (left >= tokens) throw new Error(`what would be sent instead is no shorter (${left} tokens for ${tokens})`);
    checkpoints.push(next);
    notice('compaction', `${next.upTo} messages are no longer sent themselves: about ${left} tokens for ${tokens}`);
    return shorter;
  }

  /** Requests without a price of their own have that of this run. */
  #pay(steps: readonly Step[]): void {
    const { journal, options } = this.#context;
    const { costOf } = options;
    for (const step of steps) {
      const { usage, provider, model, startedAt } = step;
      const cost = step.cost ?? (usage && costOf?.(usage, provider, model, new Date(startedAt)).total);
      if (costOf && cost === undefined)
        journal.notice('price-unknown', `The cost of ${provider}/${model}, asked for compaction, is not known`);
      journal.side.push({ usage, cost });
    }
  }

  /** Once in a run: the rest is the same again. */
  #tell(reason: unknown, what: string): void {
    if (this.#hasTold) return;
    this.#hasTold = true;
    const why = reason instanceof Error ? reason.message : String(reason);
    this.#context.journal.notice('compaction-failed', `${what}: ${why}`);
  }
}

/** A stored checkpoint that cannot be read fits nothing. */
function tryApply(stored: readonly Message[], checkpoint: Checkpoint): readonly Message[] | undefined {
  try {
    return applyCheckpoint(stored, checkpoint);
  } catch {
    return undefined;
  }
}

function makeCheckpoint(
  { upTo, replacement }: CompactionResult,
  stored: readonly Message[],
  cuts: readonly number[],
): Checkpoint {
  if (!cuts.includes(upTo)) throw new Error(`${upTo} is not where a turn begins behind the last checkpoint`);
  for (const { facts } of replacement.map(readReplacement))
    if (facts.calls.length > 0 || facts.results.length > 0) throw new Error('a replacement has no calls or results');
  return { upTo, digest: rangeDigest(stored, upTo), replacement: [...replacement] };
}
