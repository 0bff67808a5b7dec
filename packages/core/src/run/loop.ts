import type { RequestParams, WrittenRequest } from '../dialects/index.ts';
import type { Message, ToolUseBlock } from '../message/index.ts';
import { type Clock, isProviderError, RefusalMemory } from '../providers/index.ts';
import { type Asked, ask } from './ask.ts';
import type { Journal } from './journal.ts';
import { reachedLimit } from './limits.ts';
import { pendingCalls } from './pending.ts';
import { hasContent } from './step.ts';
import { stepOf } from './step-of.ts';
import type { Stopping } from './stopping.ts';
import { type Directory, nameOf, type Target, targetsOf } from './targets.ts';
import { type Answering, answerCalls, refuseCalls } from './tools/answer-calls.ts';
import { ToolSet } from './tools/tool-set.ts';
import type { RunOptions, RunStop, Step } from './types.ts';

/** What providers refused is learnt once for all runs. */
const remembered = /* @__PURE__ */ new RefusalMemory();

export interface Ended {
  readonly stop: RunStop;
  readonly pending: readonly ToolUseBlock[];
}

/** Reasons to end for which calls may be unfinished or unwanted. */
const NOT_MEANT: ReadonlySet<string> = new Set(['length', 'refusal', 'filter', 'error', 'cut']);

/** Asks, runs tools and asks again, until the model has no more calls or something ends it. */
export class Loop {
  readonly #options: RunOptions;
  readonly #directory: Directory;
  readonly #journal: Journal;
  readonly #stopping: Stopping;
  readonly #clock: Clock;
  readonly #stored: readonly Message[];
  readonly #tools: ToolSet;
  readonly #targets: Target[];
  readonly #startedAt: number;
  #current = 0;

  constructor(options: RunOptions, directory: Directory, journal: Journal, stopping: Stopping, clock: Clock) {
    if (options.limits?.cost !== undefined && !options.costOf)
      throw new TypeError('A limit of cost needs "costOf", such as that of @skein/core/prices');
    this.#options = options;
    this.#directory = directory;
    this.#journal = journal;
    this.#stopping = stopping;
    this.#clock = clock;
    this.#stored = [...options.messages];
    this.#tools = new ToolSet(options.tools ?? []);
    this.#targets = [...targetsOf(options, directory)];
    this.#startedAt = clock.now();
  }

  async run(): Promise<Ended> {
    const { stopWhen, limits = {} } = this.#options;
    const journal = this.#journal;
    let calls = pendingCalls(this.#stored);
    for (;;) {
      if (calls.length > 0) {
        const waiting = await answerCalls(calls, this.#answering());
        for (const call of waiting) this.#await(call);
        const { reason } = this.#stopping;
        if (reason || waiting.length > 0) return ended(reason ?? 'approval', waiting);
      }
      if (this.#stopping.reason) return ended(this.#stopping.reason);
      const { steps, added, usage, knownCost: cost } = journal;
      if (steps.length > 0 && stopWhen?.({ steps: [...steps], messages: [...added] })) return ended('stopped');
      const limit = reachedLimit(limits, {
        steps: steps.length,
        usage,
        cost,
        ms: this.#clock.now() - this.#startedAt,
      });
      if (limit) return ended(limit);

      const step = await this.#step();
      calls = step?.stop.reason === 'pause' ? [] : (step?.message.toolUses ?? []);
      if (this.#stopping.reason) {
        if (!step?.message.origin.cut) this.#refuse(calls, 'the run was stopped');
        return ended(this.#stopping.reason);
      }
      const { stop, provider, model } = step!;
      if (stop.reason === 'length')
        journal.notice('length', `${provider}/${model} reached its limit of tokens; the answer is incomplete`);
      if (NOT_MEANT.has(stop.reason)) this.#refuse(calls, `the reply ended early (${stop.native ?? stop.reason})`);
      if (NOT_MEANT.has(stop.reason) || (calls.length === 0 && stop.reason !== 'pause')) return { stop, pending: [] };
    }
  }

  /** The next reply, from the first model that gives one. Undefined when the run was stopped before anything came. */
  async #step(): Promise<Step | undefined> {
    let failed: { readonly target: Target; readonly failure: unknown } | undefined;
    for (;;) {
      const target = this.#targets[this.#current]!;
      const asked = await this.#ask(target, failed);
      this.#targets[this.#current] = asked.target;
      const step = this.#keep(asked);
      if (asked.failure === undefined || this.#stopping.reason) return step;
      if (asked.told || !mayFallBack(asked.failure) || !this.#targets[this.#current + 1]) throw asked.failure;
      failed = { target, failure: asked.failure };
      this.#current++;
    }
  }

  async #ask(
    target: Target,
    failed: { readonly target: Target; readonly failure: unknown } | undefined,
  ): Promise<Asked> {
    const journal = this.#journal;
    const { provider, model } = target;
    const { modelLimits, refusals = remembered, previous, outgoing } = this.#options;
    const { refusedFields } = this.#directory;
    const { signal } = this.#stopping;
    const limits = modelLimits?.(provider.id, model) ?? this.#directory.modelLimits?.(provider, model) ?? {};
    const stored = this.#history();
    const messages = (await outgoing?.(stored, { limits, signal, notice: journal.notice.bind(journal) })) ?? stored;
    const number = journal.steps.length + 1;
    let from = failed;
    return ask({
      target,
      messages,
      tools: this.#tools,
      options: this.#options,
      previous: journal.manifest ?? previous,
      limits,
      refusals,
      refusedFields,
      sending: {
        signal,
        clock: this.#clock,
        onEvent: (event) =>
          journal.emit(event.type === 'tool-use' ? { ...event, name: this.#toolName(event.name) } : event),
        onFirstEvent: (ms) => journal.observe({ type: 'first-event', step: number, ms }),
        onRetry: ({ attempts, waitMs, error }) => {
          journal.emit({ type: 'retry', attempt: attempts, waitMs, reason: error.message });
          journal.observe({ type: 'retry', attempt: attempts, waitMs, code: error.code });
        },
      },
      onWritten: (written, params) => {
        this.#tellLosses(target, written, from);
        this.#tellClamp(params);
        from = undefined;
        const { body } = written;
        journal.observe({ type: 'request', step: number, provider: provider.id, model, params, body });
      },
      onRefused: (fields) =>
        journal.notice(
          'refused-field',
          `${nameOf(target)} refuses what it gave itself: ${fields.join(', ')}; left out from now on`,
        ),
    });
  }

  #tellLosses(
    target: Target,
    { losses }: WrittenRequest,
    failed: { readonly target: Target; readonly failure: unknown } | undefined,
  ): void {
    const fresh = this.#journal.newLosses(losses);
    if (failed) {
      const why = failed.failure instanceof Error ? failed.failure.message : String(failed.failure);
      this.#journal.notice('fallback', `${nameOf(target)} is asked instead of ${nameOf(failed.target)}: ${why}`, fresh);
    } else if (fresh.length > 0)
      this.#journal.notice('losses', `Not all is sent to ${nameOf(target)} as it is (${fresh.length})`, fresh);
  }

  #tellClamp({ maxTokens }: RequestParams): void {
    const wanted = this.#options.params?.maxTokens;
    if (maxTokens !== wanted)
      this.#journal.notice('max-tokens', `The reply may have ${maxTokens} tokens: there is no room for ${wanted}`);
  }

  /** What came of a request goes into the journal, also when it failed half way. */
  #keep(asked: Asked): Step | undefined {
    const journal = this.#journal;
    const { provider, model } = asked.target;
    const number = journal.steps.length + 1;
    const step = stepOf(asked, this.#history(), this.#options, (reason) =>
      journal.notice('price-unknown', `The cost of ${nameOf(asked.target)} is not known: ${reason}`),
    );
    if (asked.failure !== undefined) {
      const { failure } = asked;
      const { code, status } = isProviderError(failure) ? failure : { code: 'failed', status: undefined };
      const { requestId } = asked;
      journal.observe({
        ...{ type: 'request-failed', step: number, provider: provider.id, model },
        ...{ code, status, requestId, error: failure },
      });
    }
    // A reply that said nothing and failed is asked for again elsewhere, and counts for nothing.
    if (!step || (asked.failure !== undefined && !asked.told && !this.#stopping.reason)) return undefined;
    journal.steps.push(step);
    journal.manifest = asked.written.manifest;
    const { message, envelope, stop, usage, estimated, cost, durationMs, requestId } = step;
    journal.observe({
      ...{ type: 'response', step: number, provider: provider.id, model, replyModel: message.origin.model },
      ...{ requestId, stop, usage, estimated, cost, durationMs, message, envelope },
    });
    if (hasContent(message)) journal.add(message);
    return step;
  }

  #history(): readonly Message[] {
    return [...this.#stored, ...this.#journal.added];
  }

  #toolName(name: string): string {
    return this.#tools.find(name, this.#policies())?.name ?? name;
  }

  #policies() {
    return this.#targets.map(({ provider }) => provider.policies);
  }

  #answering(): Answering {
    const journal = this.#journal;
    return {
      tools: this.#tools,
      targets: this.#policies(),
      approvals: this.#options.approvals ?? {},
      history: this.#history(),
      signal: this.#stopping.signal,
      clock: this.#clock,
      onStart: ({ id, rawParameters }, name) =>
        journal.observe({ type: 'tool-start', callId: id, name, arguments: rawParameters }),
      onEnd: (action, message) => {
        const { callId, name, outcome, durationMs } = action;
        journal.actions.push(action);
        journal.emit({ type: 'tool-result', callId, name, message });
        journal.emit({ type: 'action', action });
        journal.observe({ type: 'tool-end', callId, name, outcome, durationMs, message });
      },
      onMessage: (message) => journal.add(message),
    };
  }

  #await(call: ToolUseBlock): void {
    this.#journal.emit({ type: 'approval', call });
    this.#journal.observe({ type: 'approval', callId: call.id, name: this.#toolName(call.name) });
  }

  #refuse(calls: readonly ToolUseBlock[], why: string): void {
    refuseCalls(calls, `The call was not run: ${why}.`, this.#answering());
  }
}

function ended(reason: RunStop['reason'], pending: readonly ToolUseBlock[] = []): Ended {
  return { stop: { reason, native: undefined }, pending };
}

/** A request that is wrong in itself is wrong elsewhere, too; and who stops does not want another answer. */
function mayFallBack(failure: unknown): boolean {
  if (isProviderError(failure)) return failure.code !== 'aborted' && failure.code !== 'invalid_request';
  return failure instanceof Error && 'code' in failure && failure.code === 'missing_key';
}
