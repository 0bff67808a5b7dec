import type { RequestParams, WrittenRequest } from '../dialects/index.ts';
import type { Message } from '../message/index.ts';
import { isProviderError, RefusalMemory } from '../providers/index.ts';
import { type Asked, ask, systemText } from './ask.ts';
import type { Compactor } from './compaction/compactor.ts';
import type { Running } from './running.ts';
import { hasContent, type Sending } from './send.ts';
import { stepOf } from './step.ts';
import { type Directory, nameOf, type Target, targetsOf } from './targets.ts';
import { estimateText } from './tokens.ts';
import type { ModelLimits, Step } from './types.ts';

/** What providers refused is learnt once for all runs. */
const remembered = /* @__PURE__ */ new RefusalMemory();

/** Gets the next reply from the first model that gives one, and puts it into the journal. */
export class Asker {
  readonly #running: Running;
  readonly #directory: Directory;
  readonly #targets: Target[];
  #compactor: Compactor | undefined;
  #current = 0;

  constructor(running: Running, directory: Directory) {
    this.#running = running;
    this.#directory = directory;
    this.#targets = [...targetsOf(running.options, directory)];
  }

  /** What the names of tools may have been changed for. */
  get policies() {
    return this.#targets.map(({ provider }) => provider.policies);
  }

  /** Undefined when the run was stopped before anything came. Throws when no model can answer. */
  async next(history: readonly Message[]): Promise<Step | undefined> {
    let failed: Failed | undefined;
    for (;;) {
      const target = this.#targets[this.#current]!;
      const asked = await this.#ask(target, history, failed);
      // It may have learnt of fields that are refused.
      this.#targets[this.#current] = asked.target;
      const step = this.#keep(asked);
      const { failure, told } = asked;
      if (failure === undefined || this.#running.stopping.reason) return step;
      if (told || !mayFallBack(failure) || !this.#targets[this.#current + 1]) throw failure;
      failed = { target, failure };
      this.#current++;
    }
  }

  async #ask(target: Target, stored: readonly Message[], failed: Failed | undefined): Promise<Asked> {
    const { options, journal, tools, stopping, output } = this.#running;
    const { refusals = remembered, outgoing } = options;
    const limits = this.#limitsOf(target);
    const { signal } = stopping;
    const compacted = await this.#compacted(stored, limits);
    const messages = await outgoing?.(compacted, { limits, signal, notice: journal.notice.bind(journal) });
    let from = failed;
    return ask({
      target,
      messages: messages ?? compacted,
      tools,
      output,
      options,
      previous: journal.manifest ?? options.previous,
      limits,
      refusals,
      sending: this.#sending(),
      onWritten: (written, params) => {
        this.#tellWritten(target, written, params, from);
        from = undefined;
      },
      onRefused: (fields) =>
        journal.notice('refused-field', `${nameOf(target)} refuses what it gave itself: ${fields.join(', ')}`),
    });
  }

  async #compacted(stored: readonly Message[], limits: ModelLimits): Promise<readonly Message[]> {
    const { options, journal, stopping } = this.#running;
    const { compaction } = options;
    const { checkpoints } = journal;
    if (!compaction && checkpoints.length === 0) return stored;
    // Loaded on first use: most runs are short.
    const { Compactor } = await import('./compaction/compactor.ts');
    this.#compactor ??= new Compactor({
      compaction,
      checkpoints,
      otherTokens: () => estimateText(systemText(options.system)),
      notice: journal.notice.bind(journal),
      spent: journal.pay.bind(journal),
    });
    return this.#compactor.outgoing(stored, limits, stopping.signal);
  }

  #limitsOf({ provider, model }: Target): ModelLimits {
    const { modelLimits } = this.#running.options;
    return modelLimits?.(provider.id, model) ?? this.#directory.modelLimits?.(provider, model) ?? {};
  }

  #sending(): Pick<Sending, 'signal' | 'clock' | 'onEvent' | 'onFirstEvent' | 'onRetry'> {
    const { journal, stopping, clock, tools } = this.#running;
    const step = journal.steps.length + 1;
    return {
      signal: stopping.signal,
      clock,
      onEvent: (event) =>
        journal.emit(event.type === 'tool-use' ? { ...event, name: tools.ownName(event.name, this.policies) } : event),
      onFirstEvent: (ms) => journal.observe({ type: 'first-event', step, ms }),
      onRetry: ({ attempts: attempt, waitMs, error }) => {
        journal.emit({ type: 'retry', attempt, waitMs, reason: error.message });
        journal.observe({ type: 'retry', attempt, waitMs, code: error.code });
      },
    };
  }

  #tellWritten(target: Target, written: WrittenRequest, params: RequestParams, failed: Failed | undefined): void {
    const { journal, options } = this.#running;
    const { provider, model } = target;
    const losses = journal.newLosses(written.losses);
    if (failed) {
      const why = failed.failure instanceof Error ? failed.failure.message : String(failed.failure);
      journal.notice('fallback', `${nameOf(target)} is asked instead of ${nameOf(failed.target)}: ${why}`, losses);
    } else if (losses.length > 0)
      journal.notice('losses', `Not all is sent to ${nameOf(target)} as it is (${losses.length})`, losses);
    const wanted = options.params?.maxTokens;
    if (params.maxTokens !== wanted)
      journal.notice('max-tokens', `There is no room for ${wanted} tokens; the reply may have ${params.maxTokens}`);
    const step = journal.steps.length + 1;
    journal.observe({ type: 'request', step, provider: provider.id, model, params, body: written.body });
  }

  /** What came of a request goes into the journal, also when it failed half way. */
  #keep(asked: Asked): Step | undefined {
    const { journal, options, stopping } = this.#running;
    const { failure, requestId, target, told, written } = asked;
    const about = { step: journal.steps.length + 1, provider: target.provider.id, model: target.model, requestId };
    if (failure !== undefined) {
      const { code, status } = isProviderError(failure) ? failure : { code: 'failed', status: undefined };
      journal.observe({ type: 'request-failed', ...about, code, status, error: failure });
      // A reply that said nothing is asked for elsewhere, and counts for nothing.
      if (!told && !stopping.reason) return undefined;
    }
    const step = stepOf(asked, options, (reason) =>
      journal.notice('price-unknown', `The cost of ${nameOf(target)} is not known: ${reason}`),
    );
    if (!step) return undefined;
    journal.steps.push(step);
    journal.manifest = written.manifest;
    const { message, envelope, stop, usage, estimated, cost, durationMs } = step;
    const reply = { replyModel: message.origin.model, stop, usage, estimated, cost, durationMs, message, envelope };
    journal.observe({ type: 'response', ...about, ...reply });
    if (hasContent(message)) journal.add(message, step);
    return step;
  }
}

interface Failed {
  readonly target: Target;
  readonly failure: unknown;
}

/** A request that is wrong in itself is wrong elsewhere, too; and who stops does not want another answer. */
function mayFallBack(failure: unknown): boolean {
  if (isProviderError(failure)) return failure.code !== 'aborted' && failure.code !== 'invalid_request';
  return failure instanceof Error && 'code' in failure && failure.code === 'missing_key';
}
