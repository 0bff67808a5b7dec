import type { Manifest } from '../../dialects/index.ts';
import { realClock } from '../../providers/index.ts';
import { type Notice, RunError, type RunEvent, type RunResult } from '../../run/index.ts';
import { sumUsage } from '../../run/tokens.ts';
import type { MessageList } from '../message-list.ts';
import type { ConversationConfig } from './config.ts';
import { startStep } from './step.ts';
import { type Asking, type SoFar, stepOptions, stepsLeft } from './step-options.ts';
import { addResult, NOTHING, stoppedFor } from './sum-results.ts';

/** What a turn needs of the conversation it is of. */
export interface Host {
  readonly messages: MessageList;
  /** As it is now: changes count from the next step on. */
  readonly config: ConversationConfig;
  readonly manifest: Manifest | undefined;
  /** What a step did; also of one that failed or was left. `end`: where its messages end in the list. */
  keep(step: RunResult, end: number): void;
}

/**
 * Steps until the model is done or something ends it. The next step begins when the reader asks for more, so that whatever
 * the reader changes in between holds for it. Leaving stops what is under way.
 */
export async function* takeTurn(
  host: Host,
  asking: Asking,
  stopping: AbortSignal,
): AsyncGenerator<RunEvent, void, undefined> {
  const { clock = realClock } = host.config;
  let soFar: SoFar = { startedAt: clock.now(), result: NOTHING, failed: 0 };
  let config: ConversationConfig | undefined;
  for (;;) {
    // Another configuration may name other models.
    if (config !== host.config) soFar = { ...soFar, failed: 0 };
    config = host.config;
    const { limits = {}, stopWhen, signal } = config;
    const options = stepOptions(config, host, asking, soFar);
    const step = startStep(
      { ...options, signal: signal ? AbortSignal.any([signal, stopping]) : stopping },
      host.messages,
    );
    let isRead = false;
    try {
      for await (const event of step.events()) {
        if (event.type !== 'finish' && !isToldAgain(event, soFar.result.notices)) yield event;
      }
      isRead = true;
    } catch (failure) {
      throw withEarlier(soFar.result, failure);
    } finally {
      if (!isRead) step.stop();
      const settled = await step.settled;
      host.keep('result' in settled ? settled.result : keptOf(settled.failure), step.end());
      if ('result' in settled) soFar = next(soFar, settled.result);
    }
    const { result } = soFar;
    const { steps, messages, stop } = result;
    const isOver = stop.reason !== 'steps' || stepsLeft(limits, result) <= 0;
    const isStopped = !isOver && stopWhen?.({ steps, messages }) === true;
    if (!isOver && !isStopped) continue;
    yield { type: 'finish', result: isStopped ? stoppedFor(result, 'stopped') : result };
    return;
  }
}

function next({ startedAt, result, failed }: SoFar, step: RunResult): SoFar {
  const switches = step.notices.filter(({ code }) => code === 'fallback').length;
  return { startedAt, result: addResult(result, step), failed: failed + switches };
}

/** Each step is a run of its own, and says again what the one before it said. */
function isToldAgain(event: RunEvent, told: readonly Notice[]): boolean {
  if (event.type !== 'notice') return false;
  const { code, message, losses = [] } = event.notice;
  if (code !== 'losses') return told.some((notice) => notice.code === code && notice.message === message);
  const known = new Set(told.flatMap((notice) => notice.losses ?? []).map((loss) => JSON.stringify(loss)));
  return losses.every((loss) => known.has(JSON.stringify(loss)));
}

/** What a step that failed leaves behind. */
function keptOf(failure: unknown): RunResult {
  if (!(failure instanceof RunError)) return NOTHING;
  const { messages, steps, checkpoints } = failure;
  const usage = sumUsage(steps.flatMap((step) => step.usage ?? []));
  const losses = steps.flatMap((step) => step.losses);
  // One request at most.
  const { cost, manifest } = steps[0] ?? NOTHING;
  return stoppedFor({ ...NOTHING, messages, steps, usage, cost, losses, checkpoints, manifest }, 'error');
}

/** The error of a step, with what the turn did before it. */
function withEarlier({ messages, steps }: RunResult, failure: unknown): unknown {
  if (!(failure instanceof RunError) || steps.length === 0) return failure;
  return new RunError(
    failure.cause,
    [...messages, ...failure.messages],
    [...steps, ...failure.steps],
    failure.checkpoints,
  );
}
