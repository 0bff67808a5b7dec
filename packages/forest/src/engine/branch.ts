import {
  type Approval,
  type Checkpoint,
  type Fetch,
  type Message,
  type ModelChoice,
  type ObserverEvent,
  parseModel,
  provider,
  RunError,
  type RunEvent,
  type RunOptions,
  type RunResult,
  run,
  type Tool,
} from '@skein/core';
import {
  appendMessages,
  appendSiblings,
  type ForestContext,
  ForestError,
  joinTexts,
  readAppendPoint,
  writeCheckpoint,
} from '../forest/index.ts';
import type { EventWriter } from './events.ts';
import { makeStepTake, readHistory, toStoredCheckpoint, withAlternatives } from './history.ts';
import { ReplyLog, type RequestTarget } from './partial-reply.ts';
import { makeToolsBody, toDefinition, withJournal } from './tools.ts';
import type { BranchState, GenerateOptions, GenerationEvent } from './types.ts';

interface BranchTask {
  readonly generation: string;
  readonly branch: number;
  readonly node: string;
  readonly options: GenerateOptions & { readonly approvals?: Readonly<Record<string, Approval>> };
  readonly signal: AbortSignal;
  readonly events: EventWriter;
  /** Told as the branch grows. */
  readonly onState: (state: BranchState) => Promise<void>;
}

/** Runs the loop below a node and appends every message as it completes. It never throws. */
export async function runBranch(context: ForestContext, task: BranchTask): Promise<BranchState> {
  const { branch, events } = task;
  const growing: BranchProgress = { head: task.node };
  let state: BranchState;
  try {
    const result = await runAndStore(context, task, growing);
    state = toBranchState(growing.head, result);
    const { usage, cost } = result;
    events.push(branch, { type: 'branch-end', state, ...(usage && { usage }), ...(cost !== undefined && { cost }) });
  } catch (error) {
    state = { head: growing.head, status: 'failed', error: toBranchError(error) };
    events.push(branch, { type: 'branch-end', state });
  }
  return state;
}

/** How far a branch has come. */
interface BranchProgress {
  head: string;
}

async function runAndStore(context: ForestContext, task: BranchTask, growing: BranchProgress): Promise<RunResult> {
  const { generation, branch, node, events } = task;
  const { keys } = events;
  const { store, clock } = context;
  const key = `${generation}/${branch}`;
  const options = toRunOptions(task.options, branch);
  const { thread } = task.options;
  const history = await readHistory(store, node, { issuer: modelIssuer(options.model), thread });
  const tools = makeToolsBody((options.tools ?? []).map(toDefinition));
  const known = new Set(history.path.map(({ body }) => body));
  const keeping = new StoredMessages(history.messages);
  const wire = new ReplyLog(store, clock, key);
  const added: Message[] = [];
  let previous = history.previous;
  let sent: readonly Message[] = history.messages;

  const running = run({
    ...options,
    messages: history.messages,
    checkpoints: history.checkpoints,
    ...(previous && { previous: previous.manifest }),
    tools: (options.tools ?? []).map((tool) =>
      'execute' in tool ? withJournal(tool as Tool, context, key, (caller) => keeping.until(caller)) : tool,
    ),
    fetch: wire.wrap(keys.wrap(options.fetch ?? plainFetch)),
    signal: task.signal,
    async outgoing(messages) {
      await keeping.until(messages.at(-1));
      sent = joinTexts(messages.map((message) => keys.message(message)));
      return sent;
    },
    observer(event) {
      if (event.type === 'request') wire.asked(toRequestTarget(options, event.provider, event.model));
      if (event.type === 'tool-start')
        events.push(branch, { type: 'tool-start', callId: event.callId, name: event.name });
      options.observer?.(event as ObserverEvent);
    },
  });

  const keep = async ({ message: received, step }: Extract<RunEvent, { type: 'message' }>) => {
    const message = keys.message(received);
    const place = await readAppendPoint(store, growing.head);
    if (step) {
      const { params } = options;
      const replacesLead = history.messages !== history.stored;
      const about = {
        generation,
        tools,
        replacesLead,
        ...(thread && { thread }),
        ...(params && { params: { ...params } }),
      };
      const clean = keys.step(step);
      const made = makeStepTake(clean, sent, known, previous, about);
      const replies = withAlternatives(clean, made.take);
      [growing.head] = (await appendSiblings(context, place, replies, [...made.bodies, ...wire.kept()])) as [string];
      previous = made.stored;
    } else {
      [growing.head] = (await appendMessages(context, place, [message], {
        via: 'generate',
        generation,
        ...(thread && { thread }),
      })) as [string];
    }
    known.add(message.facts.digest);
    added.push(message);
    events.push(branch, { type: 'message', node: growing.head });
    await task.onState({ head: growing.head, status: 'running' });
    keeping.kept(received);
  };

  const keepNew = async (checkpoints: readonly Checkpoint[]) => {
    // Where nothing came, the end is still a node that other branches share.
    if (growing.head === node) return;
    const made = checkpoints.slice(history.checkpoints.length);
    const stored = [...history.stored, ...added];
    await writeCheckpoint(
      context,
      growing.head,
      thread,
      made.map((checkpoint) => toStoredCheckpoint(checkpoint, stored, history.shift)),
    );
  };
  try {
    for await (const event of running) {
      if (event.type === 'message') await keep(event);
      else for (const told of toGenerationEvents(event)) events.push(branch, told);
    }
    const result = await running.result;
    await keepNew(result.checkpoints);
    return result;
  } catch (error) {
    keeping.fail(error);
    // What was sent with a checkpoint is sent with it again, however the run ended.
    if (error instanceof RunError) await keepNew(error.checkpoints);
    throw error;
  } finally {
    running.stop();
  }
}

const plainFetch: Fetch = (url, init) => globalThis.fetch(url, init);

function toRequestTarget(
  { model, fallback = [] }: Pick<RunOptions, 'model' | 'fallback'>,
  id: string,
  name: string,
): RequestTarget {
  const own = [model, ...fallback].flatMap((choice) => (typeof choice === 'string' ? [] : [choice.provider]));
  const { dialect, issuer } = own.find((descriptor) => descriptor.id === id) ?? provider(id);
  return { provider: id, model: name, dialect, issuer };
}

/** What is told of an event of the run; messages and the end are told where they are stored. */
function toGenerationEvents(event: RunEvent): GenerationEvent[] {
  switch (event.type) {
    case 'message':
    case 'finish':
    case 'action':
      return [];
    case 'tool-result':
      return [{ type: 'tool-result', callId: event.callId, name: event.name }];
    case 'approval': {
      const { id, name, rawParameters } = event.call;
      return [{ type: 'approval', callId: id, name, arguments: rawParameters }];
    }
    default:
      return [event];
  }
}

function toBranchState(head: string, { stop, pending }: RunResult): BranchState {
  if (stop.reason === 'aborted') return { head, status: 'aborted', stop };
  if (stop.reason !== 'approval') return { head, status: 'done', stop };
  const calls = pending.map(({ id, name, rawParameters }) => ({ id, name, rawParameters }));
  return { head, status: 'waiting', stop, pending: calls };
}

function toBranchError(error: unknown): NonNullable<BranchState['error']> {
  if (error instanceof RunError) return { code: error.code, message: error.message, retryable: error.retryable };
  const code = error instanceof ForestError ? error.code : 'failed';
  return { code, message: error instanceof Error ? error.message : String(error), retryable: false };
}

/**
 * Which messages are stored. A run does not wait for whoever looks at it; what it does next waits here, so that no tool
 * runs and nothing is asked before the messages that lead there are safe.
 */
class StoredMessages {
  readonly #kept = new WeakSet<Message>();
  readonly #waiting = new Map<Message, (() => void)[]>();
  #failure: { readonly reason: unknown } | undefined;

  constructor(stored: readonly Message[]) {
    for (const message of stored) this.#kept.add(message);
  }

  kept(message: Message): void {
    this.#kept.add(message);
    for (const wake of this.#waiting.get(message) ?? []) wake();
    this.#waiting.delete(message);
  }

  /** Nothing more will be stored. */
  fail(reason: unknown): void {
    this.#failure = { reason };
    for (const wake of [...this.#waiting.values()].flat()) wake();
    this.#waiting.clear();
  }

  /** Throws when it will never be stored. */
  async until(message: Message | undefined): Promise<void> {
    if (!message || this.#kept.has(message)) return;
    if (!this.#failure)
      await new Promise<void>((resolve) => {
        this.#waiting.set(message, [...(this.#waiting.get(message) ?? []), resolve]);
      });
    if (!this.#kept.has(message)) throw this.#failure?.reason;
  }
}

/** What `run` takes of the options of a branch. One seed for all branches would give one reply many times. */
export function toRunOptions(
  { n: _n, again: _again, label: _label, thread: _thread, available: _available, ...options }: BranchTask['options'],
  branch: number,
): Omit<RunOptions, 'messages'> {
  const seed = options.params?.seed;
  return seed === undefined ? options : { ...options, params: { ...options.params, seed: seed + branch } };
}

export function modelIssuer(model: ModelChoice): string {
  return resolveModel(model).provider.issuer;
}

/** The descriptor and the name, with the connection of its own if it has one. */
export function resolveModel(model: ModelChoice): Exclude<ModelChoice, string> {
  return typeof model === 'string' ? parseModel(model) : model;
}
