import type { Loss, Manifest, Usage } from '../../dialects/index.ts';
import { SkeinError } from '../../error.ts';
import type { Message, ToolUseBlock } from '../../message/index.ts';
import { pendingCalls, type Run, RunError, type RunEvent, type RunResult } from '../../run/index.ts';
import { LlmBuilder } from '../builder/builder.ts';
import { MessageList } from '../message-list.ts';
import type { SavedMessages } from '../saved.ts';
import { withoutFrame } from '../without-frame.ts';
import type { ConversationConfig } from './config.ts';
import { type Delta, withDelta } from './delta.ts';
import { Queue } from './queue.ts';
import { runFromEvents } from './run-of.ts';
import { type Sink, writeTo } from './sink.ts';
import type { Asking } from './step-options.ts';
import { addResult, NOTHING } from './sum-results.ts';
import { type Host, takeTurn } from './turn.ts';

export interface ConversationOptions {
  readonly messages?: Iterable<Message> | undefined;
  readonly config?: ConversationConfig | undefined;
}

/** Ends of a turn after which the model has not said its last word. */
const OPEN: ReadonlySet<string> = new Set([
  'steps',
  'tokens',
  'cost',
  'time',
  'stopped',
  'aborted',
  'approval',
  'error',
  'cut',
]);

/**
 * A conversation that goes on: it owns its one list of messages, and runs are queued. Iterating it sends what is there
 * and gives each message as it completes, up to the final answer; iterating it again after more was added runs again.
 */
export class Conversation implements AsyncIterable<Message> {
  readonly messages: MessageList;
  readonly #queue = new Queue();
  #config: ConversationConfig;
  #manifest: Manifest | undefined;
  #total: RunResult = NOTHING;
  #last: RunResult | undefined;
  /** How many of the messages are answered. */
  #answered: number;
  #stopping: AbortController | undefined;

  constructor({ messages = [], config = {} }: ConversationOptions = {}) {
    const checked = withDelta({}, { messages, config });
    this.messages = messages instanceof MessageList ? messages : new MessageList(checked.added);
    this.#config = checked.config;
    this.#answered = isAnswered(checked.added) ? checked.added.length : 0;
  }

  get config(): ConversationConfig {
    return this.#config;
  }

  /** A builder whose changes are applied to this very conversation. */
  get continuation(): LlmBuilder {
    return new LlmBuilder({ conversationFor: () => this });
  }

  /** What requests so far did not carry as it was. */
  get losses(): readonly Loss[] {
    return this.#total.losses;
  }

  /** All requests so far together. */
  get usage(): Usage | undefined {
    return this.#total.usage;
  }

  /** US dollars; undefined when the price of any request is not known. */
  get cost(): number | undefined {
    return this.#total.cost;
  }

  /** Calls that wait for approval; give the decisions as `approvals` in the configuration, and run again. */
  get pending(): readonly ToolUseBlock[] {
    return this.#last?.pending ?? [];
  }

  /** The result of the last run that ended well: why it stopped, its steps, actions and notices. */
  get result(): RunResult | undefined {
    return this.#last;
  }

  /** Appends messages and changes the configuration, both or nothing. A run under way sees it at its next step. */
  apply(delta: Delta): this {
    const { added, config } = withDelta(this.#config, delta);
    this.messages.extend(added);
    this.#config = config;
    return this;
  }

  /** Applies changes when its turn comes, and runs to the end, whether or not anyone looks. */
  run<Output = unknown>(delta: Delta = {}, asking: Asking = {}): Run<Output> {
    const stopping = new AbortController();
    return runFromEvents<Output>(this.#turn(delta, asking, stopping), () => stopping.abort());
  }

  /** Stops the run under way. What arrived is kept. */
  stop(): void {
    this.#stopping?.abort();
  }

  /** The messages as a value for JSON, or written as JSON to a stream, which stays open. Nothing else is ever saved. */
  save(): SavedMessages;
  save(sink: Sink): Promise<void>;
  save(sink?: Sink): SavedMessages | Promise<void> {
    return sink ? writeTo(sink, JSON.stringify(this)) : this.toJSON();
  }

  toJSON(): SavedMessages {
    return this.messages.toJSON();
  }

  /** Leaving the loop stops the request and keeps what is complete. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void, undefined> {
    for await (const event of this.#turn({}, {}, new AbortController()))
      if (event.type === 'message') yield event.message;
  }

  async *#turn(delta: Delta, asking: Asking, stopping: AbortController): AsyncGenerator<RunEvent, void, undefined> {
    const leave = await this.#queue.enter();
    this.#stopping = stopping;
    try {
      this.apply(delta);
      if (this.messages.length === 0) throw new RunError(new NothingToSendError(), [], [], []);
      if (!this.#isOpen()) {
        yield { type: 'finish', result: { ...NOTHING, text: this.messages.at(-1)?.text ?? '' } };
        return;
      }
      for await (const event of takeTurn(this.#host(), asking, stopping.signal)) {
        if (event.type === 'finish') this.#last = event.result;
        yield event;
      }
    } finally {
      this.#stopping = undefined;
      leave();
    }
  }

  #isOpen(): boolean {
    return this.messages.length > this.#answered || pendingCalls([...this.messages]).length > 0;
  }

  #host(): Host {
    const conversation = this;
    return {
      messages: this.messages,
      get config() {
        return conversation.#config;
      },
      get manifest() {
        return conversation.#manifest;
      },
      keep: (step, end) => conversation.#keep(step, end),
    };
  }

  #keep(step: RunResult, end: number): void {
    const total = addResult(this.#total, step);
    // Sums alone are needed, and every step holds a whole request.
    this.#total = { ...total, messages: [], actions: [], notices: [], steps: total.steps.slice(-1) };
    if (step.manifest) {
      this.#manifest = step.manifest;
      this.messages.manifest = withoutFrame(step.manifest);
    }
    if (step.steps.length > 0) this.messages.checkpoints = step.checkpoints;
    if (step.messages.at(-1)?.role === 'assistant' && !OPEN.has(step.stop.reason)) this.#answered = end;
  }
}

/** The model had the last word. */
function isAnswered(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'assistant' && !last.origin.cut && pendingCalls(messages).length === 0;
}

class NothingToSendError extends SkeinError {
  override readonly name = 'NothingToSendError';
  readonly code = 'nothing_to_send';

  constructor() {
    super('There is nothing to send yet; add a message, such as .request("...")');
  }
}
