/** The loop of a run: it asks, runs tools and asks again. Loaded with the first question. */
import type { Usage } from '../dialects/index.ts';
import { checkNames } from '../dialects/request.ts';
import { isSkeinError } from '../error.ts';
import type { Message, ToolUseBlock } from '../message/index.ts';
import { checkMessages } from '../message/message.ts';
import type { SocketSession } from '../providers/index.ts';
import { realClock, Stopper } from '../providers/transport/clock.ts';
import { ProviderError } from '../providers/transport/provider-error.ts';
import { ask, recordReply } from './ask-model.ts';
import type { Compactor } from './compaction/compactor.ts';
import { Journal } from './journal.ts';
import { type Limits, type ModelLimits, OPTION_NAMES, type RunOptions } from './options.ts';
import { type Directory, type FailedTarget, type RunContext, resolveTargets, type Target } from './question.ts';
import { RunError, type RunResult, type RunStop, type Step, totalTokens } from './result.ts';
import { Steering, type SteeringInput } from './steering.ts';

/** Executes a run from its beginning to its end, and emits what happens. */
export async function executeRun(
  options: RunOptions,
  directory: Directory,
  stopped: AbortSignal,
  emit: Journal['emit'],
  added: SteeringInput,
): Promise<RunResult> {
  const { clock = realClock, signal, limits } = options;
  const journal = new Journal(options, clock, emit);
  const stopping = new Stopper<'aborted' | 'time'>(clock);
  const steering = new Steering(added);
  const lanes: RunContext['lanes'] = new Map();
  let own: SocketSession | undefined;
  try {
    await checkOptions(options);
    for (const one of [stopped, signal]) stopping.follow(one, () => 'aborted');
    stopping.after((limits?.seconds ?? Number.POSITIVE_INFINITY) * 1000, 'time');
    // Loaded on first use, like the schema checker that it needs.
    const output = options.output && new (await import('./output-schema.ts')).OutputSchema(options.output);
    const tools = [...(options.tools ?? []), ...(output ? [output.tool] : [])];
    const context: RunContext = {
      ...{ options, journal, stopping, clock, output, keepers: new Map(), lanes, steering },
      session: async () => {
        const { transport, openSocket } = options;
        if (typeof transport === 'object') return transport;
        // Loaded on first use: most runs use HTTP.
        const { SocketSession } = await import('../providers/transport/socket-session.ts');
        own ??= new SocketSession({ openSocket });
        return own;
      },
      tools: tools.length > 0 ? new (await loadTools()).ToolSet(tools) : undefined,
      targets: await resolveTargets(options, directory),
    };
    const { stop, pending } = await loop(context, directory);
    keepUnsent(steering, journal, pending.length > 0);
    const result = journal.result(stop, pending, await output?.read(journal.text, stop));
    const { usage, cost, steps } = result;
    journal.observe({ type: 'finish', stop, usage, cost, steps: steps.length, result });
    emit({ type: 'finish', result });
    return result;
  } catch (cause) {
    keepUnsent(steering, journal, false);
    const error = new RunError(cause, journal.added, journal.steps, journal.checkpoints);
    journal.observe({ type: 'failed', code: error.code, error });
    throw error;
  } finally {
    steering.close();
    for (const lane of lanes.values()) lane.release();
    own?.close();
    stopping.dispose();
  }
}

/** What the caller added too late belongs in the history. Behind calls that wait for approval it would end their waiting. */
function keepUnsent(steering: Steering, journal: Journal, isWaiting: boolean): void {
  steering.close();
  for (const message of [...steering.takeQueued(), ...steering.takeWaiting()])
    if (isWaiting) journal.notice('steering', `Not sent, because calls wait for approval: ${message.text}`);
    else journal.add(message);
}

/** Loaded on first use: many runs have no tools. */
const loadTools = () => import('./tools/answer-calls.ts');

interface LoopEnd {
  readonly stop: RunStop;
  /** Calls that wait for approval. */
  readonly pending: readonly ToolUseBlock[];
}

/** When a reply ends for one of these reasons, its calls may be unfinished or unwanted. */
const EARLY_ENDS: ReadonlySet<string> = new Set(['length', 'refusal', 'filter', 'error', 'cut']);

async function loop(context: RunContext, directory: Directory): Promise<LoopEnd> {
  const { options, journal, stopping, clock, output, steering } = context;
  const { stopWhen, limits = {} } = options;
  const startedAt = clock.now();
  const stored = checkMessages(options.messages);
  const history = (): readonly Message[] => (journal.added.length > 0 ? stored.concat(journal.added) : stored);
  const askModels = makeAsker(context, directory);

  // The history may end with calls that have no results yet.
  const last = stored.findLast(({ role }) => role === 'assistant');
  let calls = last?.facts.calls.length ? (await loadTools()).pendingCalls(stored) : [];
  for (;;) {
    if (calls.length > 0) {
      const { answerReply } = await loadTools();
      const waiting = await answerReply(calls, context, history());
      if (stopping.stopped || waiting.length > 0) return end(stopping.stopped ?? 'approval', waiting);
      if (output?.answer !== undefined) return end('end');
    }
    if (stopping.stopped) return end(stopping.stopped);
    const { steps, added, usage, knownCost: cost } = journal;
    if (steps.length > 0 && stopWhen?.({ steps: [...steps], messages: [...added] })) return end('stopped');
    const limit = findReachedLimit(limits, { steps: steps.length, usage, cost, ms: clock.now() - startedAt });
    if (limit) return end(limit);

    const queued = steering.takeQueued();
    for (const message of [...queued, ...steering.takeWaiting()]) journal.add(message);
    const { step, isFollowed, ...asked } = await askModels(history(), queued);
    calls = asked.calls;
    if (stopping.stopped) {
      if (!step?.message.origin.cut) await refuse('the run was stopped');
      return end(stopping.stopped);
    }
    const { stop, provider, model } = step!;
    if (stop.reason === 'length')
      journal.notice('length', `${provider}/${model} reached its limit of tokens; the answer is incomplete`);
    const isEarly = EARLY_ENDS.has(stop.reason);
    if (isEarly) await refuse(`the reply ended early (${stop.native ?? stop.reason})`);
    if (options.warmUp) return { stop, pending: [] };
    if (isFollowed || steering.hasMore) continue;
    if (isEarly || (calls.length === 0 && stop.reason !== 'pause')) return { stop, pending: [] };
  }

  async function refuse(reason: string): Promise<void> {
    if (calls.length > 0) (await loadTools()).refuseReply(calls, reason, context);
  }
}

function end(reason: RunStop['reason'], pending: readonly ToolUseBlock[] = []): LoopEnd {
  return { stop: { reason, native: undefined }, pending };
}

/** The limit that forbids another request, if any. */
export function findReachedLimit(
  { steps = 10, tokens = Infinity, cost = Infinity, seconds = Infinity }: Limits,
  spent: {
    readonly steps: number;
    readonly usage: Usage | undefined;
    /** As far as it is known. */
    readonly cost: number;
    readonly ms: number;
  },
): 'steps' | 'tokens' | 'cost' | 'time' | undefined {
  if (spent.steps >= steps) return 'steps';
  if (totalTokens(spent.usage) >= tokens) return 'tokens';
  if (spent.cost >= cost) return 'cost';
  return spent.ms >= seconds * 1000 ? 'time' : undefined;
}

/** Checks options before anything is sent or run: a misspelt limit must not count as no limit. */
async function checkOptions(options: RunOptions): Promise<void> {
  const { limits, approvals, costOf } = options;
  checkNames('option', options, OPTION_NAMES);
  checkNames('limit', limits, 'steps tokens cost seconds');
  for (const [name, limit] of Object.entries(limits ?? {}))
    if (limit !== undefined && (typeof limit !== 'number' || Number.isNaN(limit)))
      throw new TypeError(`The limit "${name}" must be a number`);
  if (limits?.cost !== undefined && !costOf)
    throw new TypeError('The limit "cost" needs "costOf", such as that of @skein/core/prices');
  if (approvals) (await loadTools()).checkApprovals(approvals);
}

/** What a model answered. */
interface ModelAnswer {
  readonly step: Step | undefined;
  readonly calls: readonly ToolUseBlock[];
  /** Whether another response follows by itself, because the caller steered this one. */
  readonly isFollowed: boolean;
}

/**
 * Makes the function that gets the next reply from the first model that gives one, and adds it to the journal. It returns
 * undefined when the run was stopped before anything came, and throws when no model can answer.
 */
function makeAsker(
  context: RunContext,
  directory: Directory,
): (history: readonly Message[], queued: readonly Message[]) => Promise<ModelAnswer> {
  const { options, journal, stopping, targets, steering } = context;
  let current = 0;
  let compactor: Compactor | undefined;
  return async (history, queued) => {
    let failed: FailedTarget | undefined;
    for (;;) {
      const target = targets[current]!;
      const limits = findLimits(target);
      const messages = await makeOutgoing(history, limits);
      // The context size of a model's family decides when to compact, but never shortens an answer: an account may have a
      // larger one, such as the million tokens of Claude's beta.
      const askedLimits = options.modelLimits ? limits : { maxOutputTokens: limits.maxOutputTokens };
      const sent = await ask({ context, target, limits: askedLimits, failed, messages, queued });
      const step = recordReply(context, sent);
      const committed = steering.takeCommitted();
      for (const message of committed) journal.add(message);
      const { failure, isTold, isPlain } = sent;
      // A message is not read for calls that it does not have.
      const calls = (!isPlain && step?.message.toolUses) || [];
      if (failure === undefined || stopping.stopped) return { step, calls, isFollowed: committed.length > 0 };
      if (isTold || !mayFallBack(failure) || !targets[current + 1]) throw failure;
      failed = { target, failure };
      current++;
    }
  };

  function findLimits({ provider, model }: Target): ModelLimits {
    return options.modelLimits?.(provider.id, model) ?? directory.modelLimits?.(provider, model) ?? {};
  }

  async function makeOutgoing(stored: readonly Message[], limits: ModelLimits): Promise<readonly Message[]> {
    const { signal } = stopping;
    const { notice } = journal;
    let messages = stored;
    if (options.compaction || journal.checkpoints.length > 0) {
      // Loaded on first use: most runs are short.
      compactor ??= new (await import('./compaction/compactor.ts')).Compactor(context);
      messages = await compactor.outgoing(stored, limits);
    }
    return (await options.outgoing?.(messages, { limits, signal, notice })) ?? messages;
  }
}

/** A request that is wrong in itself is wrong elsewhere, too; and a caller who stops wants no other answer. */
function mayFallBack(failure: unknown): boolean {
  if (failure instanceof ProviderError) return failure.code !== 'aborted' && failure.code !== 'invalid_request';
  return isSkeinError(failure, 'missing_key');
}
