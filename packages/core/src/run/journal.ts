import type { Loss, Manifest, RequestParams, Usage } from '../dialects/index.ts';
import type { ProviderErrorCode, SkeinErrorCode } from '../error.ts';
import type { Message, ToolUseBlock } from '../message/index.ts';
import type { Clock } from '../providers/index.ts';
import type { Checkpoint } from './compaction/checkpoint.ts';
import type { RunOptions } from './options.ts';
import { lastText, type Notice, type RunEvent, type RunResult, type RunStop, type Step, sumUsage } from './result.ts';
import type { EventRun } from './run.ts';
import type { Action } from './tools/answer-calls.ts';
import type { Outcome } from './tools/tool.ts';

let runs = 0;

/** Records what a run does, emits its events and informs the observer. */
export class Journal {
  readonly added: Message[] = [];
  readonly steps: Step[] = [];
  readonly actions: Action[] = [];
  readonly notices: Notice[] = [];
  /** The usage and cost of requests that compaction made. */
  readonly side: Pick<Step, 'usage' | 'cost'>[] = [];
  readonly checkpoints: Checkpoint[];
  readonly #losses = new Map<string, Loss>();
  readonly #options: Pick<RunOptions, 'observer' | 'observePayloads' | 'previous'>;
  readonly #clock: Clock;
  readonly #run = ++runs;
  readonly emit: (event: RunEvent | EventRun<RunEvent>) => void;

  constructor(
    options: Pick<RunOptions, 'observer' | 'observePayloads' | 'checkpoints' | 'previous'>,
    clock: Clock,
    emit: Journal['emit'],
  ) {
    this.#options = options;
    this.checkpoints = [...(options.checkpoints ?? [])];
    this.#clock = clock;
    this.emit = emit;
  }

  /** The number of the next request. */
  get step(): number {
    return this.steps.length + 1;
  }

  /** The manifest of the last request that was answered, in this run or before it. */
  get manifest(): Manifest | undefined {
    return this.steps.at(-1)?.manifest ?? this.#options.previous;
  }

  get usage() {
    return sumUsage(this.#paid.flatMap(({ usage }) => usage ?? []));
  }

  /** The cost of the steps, as far as it is known. */
  get knownCost(): number {
    return this.#paid.reduce((sum, { cost = 0 }) => sum + cost, 0);
  }

  get #paid(): readonly Pick<Step, 'usage' | 'cost'>[] {
    return [...this.steps, ...this.side];
  }

  /** The last text of the model. */
  get text(): string {
    return lastText(this.added);
  }

  observe(event: RunHappening): void {
    const { observer, observePayloads } = this.#options;
    if (!observer) return;
    try {
      observer({
        run: this.#run,
        at: this.#clock.now(),
        ...(observePayloads ? event : withoutPayload(event)),
      });
    } catch {
      // An observer must not be able to break the run.
    }
  }

  /** Adds a message to the history. */
  add(message: Message, step?: Step): void {
    this.added.push(message);
    this.emit(step ? { type: 'message', message, step } : { type: 'message', message });
  }

  /** Emits a notice; the same notice is emitted once. */
  readonly notice = (code: Notice['code'], message: string, losses: readonly Loss[] = []): void => {
    if (this.notices.some((told) => told.code === code && told.message === message)) return;
    const notice: Notice = losses.length > 0 ? { code, message, losses } : { code, message };
    this.notices.push(notice);
    this.emit({ type: 'notice', notice });
    this.observe({ type: 'notice', code, notice });
  };

  /** The losses that no request of this run had before. */
  newLosses(losses: readonly Loss[]): readonly Loss[] {
    const fresh = losses.filter((loss) => !this.#losses.has(JSON.stringify(loss)));
    for (const loss of fresh) this.#losses.set(JSON.stringify(loss), loss);
    return fresh;
  }

  result(stop: RunStop, pending: readonly ToolUseBlock[], output: unknown): RunResult {
    const { steps, usage, added } = this;
    const isCostKnown = this.#paid.every((step) => step.cost !== undefined);
    return {
      messages: added,
      // Read on first use: who has read the events need not read the message.
      get text() {
        return lastText(added);
      },
      output,
      stop,
      pending,
      steps,
      actions: this.actions,
      usage,
      cost: steps.length > 0 && isCostKnown ? this.knownCost : undefined,
      losses: [...this.#losses.values()],
      notices: this.notices,
      checkpoints: this.checkpoints,
      manifest: this.manifest,
    };
  }
}

/**
 * What an observer sees. `run` tells runs of this process apart; 0 is what happens before one. Bodies, texts and messages are there only where
 * `observePayloads` asks for them.
 */
export type ObserverEvent = { readonly run: number; readonly at: number } & RunHappening;

type RunHappening =
  | {
      readonly type: 'request';
      readonly step: number;
      readonly provider: string;
      readonly model: string;
      readonly params: RequestParams;
      readonly body?: string;
    }
  | { readonly type: 'first-event'; readonly step: number; readonly ms: number }
  | {
      readonly type: 'response';
      readonly step: number;
      readonly provider: string;
      readonly model: string;
      /** As the reply names it. */
      readonly replyModel: string | undefined;
      readonly requestId: string | undefined;
      readonly stop: RunStop;
      readonly usage: Usage | undefined;
      readonly estimated: boolean;
      readonly cost: number | undefined;
      readonly durationMs: number;
      readonly message?: Message;
      readonly envelope?: string;
    }
  | {
      readonly type: 'request-failed';
      readonly step: number;
      readonly provider: string;
      readonly model: string;
      readonly code: ProviderErrorCode | 'failed';
      readonly status: number | undefined;
      readonly requestId: string | undefined;
      readonly error?: unknown;
    }
  | { readonly type: 'tool-start'; readonly callId: string; readonly name: string; readonly arguments?: string }
  | {
      readonly type: 'tool-end';
      readonly callId: string;
      readonly name: string;
      readonly outcome: Outcome;
      readonly durationMs: number;
      readonly message?: Message;
    }
  | { readonly type: 'approval'; readonly callId: string; readonly name: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly code: ProviderErrorCode }
  | { readonly type: 'notice'; readonly code: Notice['code']; readonly notice?: Notice }
  | {
      readonly type: 'finish';
      readonly stop: RunStop;
      readonly usage: Usage | undefined;
      readonly cost: number | undefined;
      readonly steps: number;
      readonly result?: RunResult;
    }
  | { readonly type: 'failed'; readonly code: SkeinErrorCode; readonly error?: unknown };

/** Members of happenings that are payload. */
const PAYLOAD = new Set(['body', 'message', 'envelope', 'error', 'arguments', 'notice', 'result']);

/** What is told without asking. */
function withoutPayload(event: RunHappening): RunHappening {
  const names = Object.keys(event).filter((name) => !PAYLOAD.has(name)) as (keyof RunHappening)[];
  return Object.fromEntries(names.map((name) => [name, event[name]])) as unknown as RunHappening;
}
