import type { ImageFormat, Manifest } from '../dialects/index.ts';
import { type Modality, parseModel, realClock } from '../providers/index.ts';
import {
  isRunError,
  type ModelChoice,
  type Notice,
  RunError,
  type RunEvent,
  type RunOptions,
  type RunResult,
  type RunStop,
  run,
} from '../run/index.ts';
import { addUsage, lastText, sumUsage, totalTokens } from '../run/result.ts';
import { EventLog } from '../run/run.ts';
import { chooseModel, imageFormat } from './choose-model.ts';
import type { ConversationConfig } from './config.ts';
import type { MessageList } from './message-list.ts';

/** What a turn needs of its conversation. */
export interface TurnHost {
  readonly messages: MessageList;
  /** The current configuration: changes apply from the next step on. */
  readonly config: ConversationConfig;
  readonly manifest: Manifest | undefined;
  /** What a step did; also of one that failed or was left. `end`: where its messages end in the list. */
  keep(step: RunResult, end: number): void;
}

/**
 * Runs steps until the model is done or something ends the turn. The next step begins when the reader asks for more, so that
 * changes made in between apply to it. Leaving the loop stops the step in progress.
 */
export async function* takeTurn(
  host: TurnHost,
  turnOptions: TurnOptions,
  stopping: AbortSignal,
): AsyncGenerator<RunEvent, void, undefined> {
  const { clock = realClock } = host.config;
  let progress: TurnProgress = { startedAt: clock.now(), result: EMPTY_RESULT, failed: 0 };
  let config: ConversationConfig | undefined;
  for (;;) {
    // Another configuration may name other models.
    if (config !== host.config) progress = { ...progress, failed: 0 };
    config = host.config;
    const { limits = {}, stopWhen, signal } = config;
    const options = makeStepOptions(config, host, turnOptions, progress);
    const step = startStep(
      { ...options, signal: signal ? AbortSignal.any([signal, stopping]) : stopping },
      host.messages,
    );
    let isRead = false;
    try {
      for await (const event of step.events()) {
        if (event.type !== 'finish' && !isRepeated(event, progress.result.notices)) yield event;
      }
      isRead = true;
    } catch (failure) {
      throw addEarlierSteps(progress.result, failure);
    } finally {
      if (!isRead) step.stop();
      const settled = await step.settled;
      host.keep('result' in settled ? settled.result : toFailedResult(settled.failure), step.end());
      if ('result' in settled) progress = advance(progress, settled.result);
    }
    const { result } = progress;
    const { steps, messages, stop } = result;
    const isOver = stop.reason !== 'steps' || countStepsLeft(limits, result) <= 0;
    const isStopped = !isOver && stopWhen?.({ steps, messages }) === true;
    if (!isOver && !isStopped) continue;
    yield { type: 'finish', result: isStopped ? withStopReason(result, 'stopped') : result };
    return;
  }
}

function advance({ startedAt, result, failed }: TurnProgress, step: RunResult): TurnProgress {
  const switches = step.notices.filter(({ code }) => code === 'fallback').length;
  return { startedAt, result: addResults(result, step), failed: failed + switches };
}

/** Each step is a run of its own, and repeats the notices of the step before. */
function isRepeated(event: RunEvent, told: readonly Notice[]): boolean {
  if (event.type !== 'notice') return false;
  const { code, message, losses = [] } = event.notice;
  if (code !== 'losses') return told.some((notice) => notice.code === code && notice.message === message);
  const known = new Set(told.flatMap((notice) => notice.losses ?? []).map((loss) => JSON.stringify(loss)));
  return losses.every((loss) => known.has(JSON.stringify(loss)));
}

/** The result of a step that failed. */
function toFailedResult(failure: unknown): RunResult {
  if (!isRunError(failure)) return EMPTY_RESULT;
  const { messages, steps, checkpoints } = failure;
  const usage = sumUsage(steps.flatMap((step) => step.usage ?? []));
  const losses = steps.flatMap((step) => step.losses);
  // One request at most.
  const { cost, manifest } = steps[0] ?? EMPTY_RESULT;
  return withStopReason({ ...EMPTY_RESULT, messages, steps, usage, cost, losses, checkpoints, manifest }, 'error');
}

/** The error of a step, with the earlier steps of the turn. */
function addEarlierSteps({ messages, steps }: RunResult, failure: unknown): unknown {
  if (!isRunError(failure) || steps.length === 0) return failure;
  return new RunError(
    failure.cause,
    [...messages, ...failure.messages],
    [...steps, ...failure.steps],
    failure.checkpoints,
  );
}

/** One request and its tools, whose messages go into a list. */
interface StepRun {
  /** All events; each message is in the list before its event. */
  events(): AsyncIterable<RunEvent>;
  stop(): void;
  /** Never rejects. */
  readonly settled: Promise<{ readonly result: RunResult } | { readonly failure: unknown }>;
  /** How many messages the list has up to and with those of this step. */
  end(): number;
}

/**
 * Starts a step. Its messages are added to the list as they come, whether or not anyone reads the events, and stay together:
 * messages that are appended meanwhile come after them, so that nothing separates a call from its result.
 */
function startStep(options: Omit<RunOptions, 'messages'>, list: MessageList): StepRun {
  let end = list.length;
  const running = run({ ...options, messages: [...list] });
  const log = new EventLog<RunEvent>();
  const keep = async () => {
    try {
      for await (const event of running) {
        if (event.type === 'message') list.insert(end++, event.message);
        log.push(event);
      }
      log.end();
      return { result: await running.result };
    } catch (failure) {
      log.fail(failure);
      return { failure };
    }
  };
  const settled = keep();
  return { events: () => log.read(), stop: () => running.stop(), settled, end: () => end };
}

/** What one turn asks for, beyond the configuration of its conversation. */
export interface TurnOptions {
  readonly output?: RunOptions['output'];
  /** Whether an image is wanted. */
  readonly image?: boolean;
}

/** What a turn has done so far. */
interface TurnProgress {
  readonly startedAt: number;
  readonly result: RunResult;
  /** How many models could not answer; they are not asked again in this turn. */
  readonly failed: number;
}

/** The options of a turn's next step: one request, within what is left of the turn's limits. */
function makeStepOptions(
  config: ConversationConfig,
  { messages, manifest }: { readonly messages: MessageList; readonly manifest: Manifest | undefined },
  turnOptions: TurnOptions,
  { startedAt, result, failed }: TurnProgress,
): Omit<RunOptions, 'messages'> {
  const { provider: _, select: __, limits = {}, compaction, stopWhen: ___, ...rest } = config;
  const { clock = realClock } = config;
  const output: readonly Modality[] | undefined = turnOptions.image ? ['image'] : undefined;
  const model = chooseModel(config, messages, output);
  const way: ImageFormat = turnOptions.image ? imageFormat(model) : {};
  const isCompacting = !result.notices.some(({ code }) => code === 'compaction-failed');
  return {
    ...rest,
    ...skipFailed({ ...rest, model }, failed),
    tools: [...(rest.tools ?? []), ...(way.tools ?? [])],
    ...(way.body && typeof rest.extraBody !== 'string' && { extraBody: { ...way.body, ...rest.extraBody } }),
    output: turnOptions.output,
    compaction: isCompacting ? compaction : undefined,
    previous: manifest ?? messages.manifest,
    checkpoints: messages.checkpoints,
    limits: {
      steps: Math.min(1, countStepsLeft(limits, result)),
      tokens: remaining(limits.tokens, totalTokens(result.usage)),
      cost: remaining(limits.cost, result.cost ?? result.steps.reduce((sum, { cost = 0 }) => sum + cost, 0)),
      seconds: remaining(limits.seconds, (clock.now() - startedAt) / 1000),
    },
  };
}

const STEPS = 10;

/** How many requests a turn may still send. */
function countStepsLeft({ steps = STEPS }: NonNullable<RunOptions['limits']>, { steps: done }: RunResult): number {
  return steps - done.length;
}

function remaining(limit: number | undefined, spent: number): number | undefined {
  return limit === undefined ? undefined : Math.max(limit - spent, 0);
}

type ModelOptions = Pick<
  RunOptions,
  'model' | 'fallback' | 'apiKey' | 'baseUrl' | 'account' | 'apiVersion' | 'extraHeaders'
>;

/** The first model that has not failed in this turn. The connection options of the first provider are not passed to another. */
function skipFailed(options: ModelOptions, failed: number): ModelOptions {
  const choices: readonly ModelChoice[] = [options.model, ...(options.fallback ?? [])];
  const model = choices[failed];
  if (failed === 0 || !model) return { model: options.model };
  const next = { model, fallback: choices.slice(failed + 1) };
  if (readProviderId(model) === readProviderId(options.model)) return next;
  const none = { apiKey: undefined, baseUrl: undefined, account: undefined, apiVersion: undefined };
  return { ...next, ...none, extraHeaders: undefined };
}

function readProviderId(choice: ModelChoice): string {
  return typeof choice === 'string' ? parseModel(choice).provider.id : choice.provider.id;
}

/** The result of a turn before its first step. */
export const EMPTY_RESULT: RunResult = {
  messages: [],
  text: '',
  output: undefined,
  stop: { reason: 'end', native: undefined },
  pending: [],
  steps: [],
  actions: [],
  usage: undefined,
  cost: undefined,
  losses: [],
  notices: [],
  checkpoints: [],
  manifest: undefined,
};

/** Adds the result of the next step to the results before it. */
export function addResults(before: RunResult, next: RunResult): RunResult {
  const steps = [...before.steps, ...next.steps];
  const messages = [...before.messages, ...next.messages];
  return {
    messages,
    // A model that pauses spreads one text over several steps.
    text: lastText(messages),
    output: next.output,
    stop: next.stop,
    pending: next.pending,
    steps,
    actions: [...before.actions, ...next.actions],
    // Not the sum of the steps: the requests of compaction are in none of them.
    usage: addUsage(before.usage, next.usage),
    cost: addCost(before, next),
    losses: distinct([...before.losses, ...next.losses]),
    notices: distinct([...before.notices, ...next.notices]),
    checkpoints: next.checkpoints,
    manifest: next.manifest ?? before.manifest,
  };
}

/** Unknown if the cost of any result with steps is unknown. */
function addCost(...results: readonly RunResult[]): number | undefined {
  const costs = results.filter(({ steps }) => steps.length > 0).map(({ cost }) => cost);
  return costs.length > 0
    ? costs.reduce((sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost))
    : undefined;
}

function withStopReason(result: RunResult, reason: RunStop['reason']): RunResult {
  return { ...result, stop: { reason, native: undefined } };
}

/** Without the repetitions of later steps. */
function distinct<T>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}
