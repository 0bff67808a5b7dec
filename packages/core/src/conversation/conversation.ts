import type { Loss, Manifest, Usage } from '../dialects/index.ts';
import { SkeinError } from '../error.ts';
import { type Message, type ToolUseBlock, user } from '../message/index.ts';
import { pendingCalls, type Run, RunError, type RunEvent, type RunResult } from '../run/index.ts';
import { EventLog, makeRun } from '../run/run.ts';
import { LlmBuilder } from './builder.ts';
import { applyDelta, type ConversationConfig, type Delta } from './config.ts';
import { MessageList } from './message-list.ts';
import type { ReadOptions } from './read-saved.ts';
import { type SavedMessages, stripFrame } from './saved-messages.ts';
import { addResults, EMPTY_RESULT, type TurnHost, type TurnOptions, takeTurn } from './turn.ts';

/** What a conversation starts with. */
export interface ConversationOptions {
  readonly messages?: Iterable<Message> | undefined;
  readonly config?: ConversationConfig | undefined;
}

/** A turn that ends for one of these reasons can be continued. */
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
 * A conversation that can be changed while it runs. It owns its list of messages, and its runs are queued. Iterating it sends
 * the messages and yields each new one as it completes, up to the final answer; after more was added, iterate it again.
 *
 * @example
 * const conversation = new Conversation({ messages: [user('Hello')], config: { model: 'openai/gpt-5.5' } });
 * for await (const message of conversation) console.log(message.text);
 */
export class Conversation implements AsyncIterable<Message> {
  readonly messages: MessageList;
  readonly #queue = new Queue();
  #config: ConversationConfig;
  #manifest: Manifest | undefined;
  #total: RunResult = EMPTY_RESULT;
  #last: RunResult | undefined;
  /** How many of the messages are answered. */
  #answered: number;
  #stopping: AbortController | undefined;

  constructor({ messages = [], config = {} }: ConversationOptions = {}) {
    const checked = applyDelta({}, { messages, config });
    this.messages = messages instanceof MessageList ? messages : new MessageList(checked.added);
    this.#config = checked.config;
    this.#answered = isAnswered(checked.added) ? checked.added.length : 0;
  }

  get config(): ConversationConfig {
    return this.#config;
  }

  /** A builder whose changes are applied to this conversation. */
  get continuation(): LlmBuilder {
    return new LlmBuilder({ conversationFor: () => this });
  }

  /** The losses of all requests so far. */
  get losses(): readonly Loss[] {
    return this.#total.losses;
  }

  /** The usage of all requests so far. */
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

  /** Appends messages and changes the configuration, both or neither. A run in progress uses them from its next step on. */
  apply(delta: Delta): this {
    const { added, config } = applyDelta(this.#config, delta);
    this.messages.extend(added);
    this.#config = config;
    return this;
  }

  /** Applies changes when the runs before it are done, and runs to the end, whether or not anyone reads it. */
  run<Output = unknown>(delta: Delta = {}, turnOptions: TurnOptions = {}): Run<Output> {
    const stopping = new AbortController();
    return runFromEvents<Output>(this.#turn(delta, turnOptions, stopping), {
      stop: () => stopping.abort(),
      // The next step, or the next run, sends it.
      steer: (message) => {
        this.messages.extend([typeof message === 'string' ? user(message) : message]);
        return true;
      },
    });
  }

  /** Stops the run in progress. What arrived is kept. */
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

  async *#turn(
    delta: Delta,
    turnOptions: TurnOptions,
    stopping: AbortController,
  ): AsyncGenerator<RunEvent, void, undefined> {
    const leave = await this.#queue.enter();
    this.#stopping = stopping;
    try {
      this.apply(delta);
      if (this.messages.length === 0) throw new RunError(new NothingToSendError(), [], [], []);
      if (!this.#isOpen()) {
        yield { type: 'finish', result: { ...EMPTY_RESULT, text: this.messages.at(-1)?.text ?? '' } };
        return;
      }
      for await (const event of takeTurn(this.#host(), turnOptions, stopping.signal)) {
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

  #host(): TurnHost {
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
    const total = addResults(this.#total, step);
    // Only the sums are needed, and every step contains a whole request.
    this.#total = { ...total, messages: [], actions: [], notices: [], steps: total.steps.slice(-1) };
    if (step.manifest) {
      this.#manifest = step.manifest;
      this.messages.manifest = stripFrame(step.manifest);
    }
    if (step.steps.length > 0) this.messages.checkpoints = step.checkpoints;
    if (step.messages.at(-1)?.role === 'assistant' && !OPEN.has(step.stop.reason)) this.#answered = end;
  }
}

/** Whether the model had the last word. */
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

/** Lets one run in after the other, in the order in which they came. */
class Queue {
  #last: Promise<void> = Promise.resolve();

  /** Waits for its turn; the returned function ends the turn. */
  async enter(): Promise<() => void> {
    const before = this.#last;
    let leave = () => {};
    this.#last = new Promise((resolve) => {
      leave = resolve;
    });
    await before;
    return leave;
  }
}

/** A run of events that someone else makes. It continues whether or not anyone reads it. */
function runFromEvents<Output>(
  events: AsyncIterable<RunEvent>,
  controls: { readonly stop: () => void; readonly steer: Run['steer'] },
): Run<Output> {
  const log = new EventLog<RunEvent>();
  const drive = async (): Promise<RunResult<Output>> => {
    try {
      let result: RunResult | undefined;
      for await (const event of events) {
        if (event.type === 'finish') result = event.result;
        log.push(event);
      }
      log.end();
      // `output` has checked the answer by its schema; the last event always has the result.
      return result as RunResult<Output>;
    } catch (error) {
      log.fail(error);
      throw error;
    }
  };
  return makeRun(log, drive(), controls);
}

/** A stream to write text to, of the web or of Node. */
export type Sink = WebSink | NodeSink;

interface WebSink {
  getWriter(): {
    write(chunk: Uint8Array): Promise<void>;
    releaseLock(): void;
  };
}

interface NodeSink {
  write(chunk: Uint8Array, done: (error?: Error | null) => void): unknown;
}

/** A stream to read text from, of the web or of Node, or any iterable of pieces. */
export type Source = AsyncIterable<Uint8Array | string>;

/** Writes a text, and waits until the stream has taken it. The stream stays open, because it belongs to the caller. */
async function writeTo(sink: Sink, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  if (!('getWriter' in sink))
    return new Promise((resolve, reject) => {
      sink.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  const writer = sink.getWriter();
  try {
    await writer.write(bytes);
  } finally {
    writer.releaseLock();
  }
}

async function readFrom(source: Source): Promise<string> {
  // A message with replaced characters would no longer be what the provider sent.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const piece of source) text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

/** Where builders begin: each that runs gets a conversation of its own. */
class Llm extends LlmBuilder {
  constructor() {
    super({ conversationFor: () => new Conversation() });
  }

  /** A saved conversation, from its JSON as text or value, or from a stream. It can go on with any provider. */
  load(saved: Source, options?: ReadOptions): Promise<Conversation>;
  load(saved: string | object, options?: ReadOptions): Conversation;
  load(saved: string | object, options: ReadOptions = {}): Conversation | Promise<Conversation> {
    if (!isSource(saved)) return new Conversation({ messages: MessageList.fromJSON(saved, options) });
    return readFrom(saved).then((text) => this.load(text, options));
  }
}

function isSource(saved: string | object): saved is Source {
  return typeof saved === 'object' && saved !== null && Symbol.asyncIterator in saved;
}

/** `llm.agent('You are brief').request('Hello').prompt()` */
export const llm: Llm = /* @__PURE__ */ new Llm();
