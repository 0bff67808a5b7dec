import { isSkeinError } from '../error.ts';
import type { Message } from '../message/index.ts';
import { ProviderError } from '../providers/transport/provider-error.ts';
import { type Asked, ask, type Failed } from './ask.ts';
import type { Compactor } from './compaction/compactor.ts';
import { hasContent } from './has-content.ts';
import type { Running } from './running.ts';
import { stepOf } from './step.ts';
import { type Directory, nameOf, type Target } from './targets.ts';
import type { ModelLimits, Step } from './types.ts';

/**
 * What gets the next reply from the first model that gives one, and puts it into the journal. Undefined when the run was
 * stopped before anything came. Throws when no model can answer.
 */
export function askerOf(
  running: Running,
  directory: Directory,
): (history: readonly Message[]) => Promise<Step | undefined> {
  const { options, journal, stopping, targets } = running;
  let current = 0;
  let compactor: Compactor | undefined;
  return async (history) => {
    let failed: Failed | undefined;
    for (;;) {
      const target = targets[current]!;
      const limits = limitsOf(target);
      const messages = await outgoing(history, limits);
      const asked = await ask({
        running,
        target,
        limits: options.modelLimits ? limits : outputOnly(limits),
        failed,
        messages,
      });
      const step = keep(running, asked);
      const { failure, told } = asked;
      if (failure === undefined || stopping.stopped) return step;
      if (told || !mayFallBack(failure) || !targets[current + 1]) throw failure;
      failed = { target, failure };
      current++;
    }
  };

  function limitsOf({ provider, model }: Target): ModelLimits {
    return options.modelLimits?.(provider.id, model) ?? directory.modelLimits?.(provider, model) ?? {};
  }

  async function outgoing(stored: readonly Message[], limits: ModelLimits): Promise<readonly Message[]> {
    const { signal } = stopping;
    const { notice } = journal;
    let messages = stored;
    if (options.compaction || journal.checkpoints.length > 0) {
      // Loaded on first use: most runs are short.
      compactor ??= new (await import('./compaction/compactor.ts')).Compactor(running);
      messages = await compactor.outgoing(stored, limits);
    }
    return (await options.outgoing?.(messages, { limits, signal, notice })) ?? messages;
  }
}

/**
 * The context that we know by a model's family decides when to compact, but never shortens an answer: an account may
 * have a larger one, such as the million tokens of Claude's beta.
 */
function outputOnly({ maxOutputTokens }: ModelLimits): ModelLimits {
  return { maxOutputTokens };
}

/** What came of a request goes into the journal, also when it failed half way. */
function keep({ journal, options, stopping }: Running, asked: Asked): Step | undefined {
  const { failure, requestId, target, told } = asked;
  const about = { step: journal.step, provider: target.provider.id, model: target.model, requestId };
  if (failure !== undefined) {
    const { code, status } =
      failure instanceof ProviderError ? failure : { code: 'failed' as const, status: undefined };
    journal.observe({ type: 'request-failed', ...about, code, status, error: failure });
    // A reply that said nothing is asked for elsewhere, and counts for nothing.
    if (!told && !stopping.stopped) return undefined;
  }
  const step = stepOf(asked, options, (reason) =>
    journal.notice('price-unknown', `The cost of ${nameOf(target)} is not known: ${reason}`),
  );
  if (!step) return undefined;
  journal.steps.push(step);
  const { message, envelope, stop, usage, estimated, cost, durationMs } = step;
  const reply = { replyModel: message.origin.model, stop, usage, estimated, cost, durationMs, message, envelope };
  journal.observe({ type: 'response', ...about, ...reply });
  // What arrived whole is a message, also when it says nothing; what broke off before its first word is none.
  if (failure === undefined || hasContent(message)) journal.add(message, step);
  return step;
}

/** A request that is wrong in itself is wrong elsewhere, too; and who stops does not want another answer. */
function mayFallBack(failure: unknown): boolean {
  if (failure instanceof ProviderError) return failure.code !== 'aborted' && failure.code !== 'invalid_request';
  return isSkeinError(failure, 'missing_key');
}
