import {
  type Approval,
  type Checkpoint,
  type Fetch,
  isRunError,
  isSkeinError,
  type Message,
  type ModelChoice,
  type ObserverEvent,
  parseModel,
  provider,
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
  /** Called when the branch gets a message. */
  readonly onState: (state: BranchState) => Promise<void>;
}

/** Runs the loop below a node and appends every message when it is complete. It never throws. */
export async function runBranch(context: ForestContext, task: BranchTask): Promise<BranchState> {
  const { branch, events } = task;
  const progress: BranchProgress = { head: task.node };
  let state: BranchState;
  try {
    const result = await runAndStore(context, task, progress);
    state = toBranchState(progress.head, result);
    const { usage, cost } = result;
    events.push(branch, { type: 'branch-end', state, ...(usage && { usage }), ...(cost !== undefined && { cost }) });
  } catch (error) {
    state = { head: progress.head, status: 'failed', error: toBranchError(error) };
    events.push(branch, { type: 'branch-end', state });
  }
  return state;
}

/** The head of a branch while it runs. */
interface BranchProgress {
  head: string;
}

async function runAndStore(context: ForestContext, task: BranchTask, progress: BranchProgress): Promise<RunResult> {
  const { generation, branch, node, events } = task;
  const { keys } = events;
  const { store, clock } = context;
  const key = `${generation}/${branch}`;
  const options = toRunOptions(task.options, branch);
  const { thread } = task.options;
  const history = await readHistory(store, node, { issuer: modelIssuer(options.model), thread });
  const tools = makeToolsBody((options.tools ?? []).map(toDefinition));
  const known = new Set(history.path.map(({ body }) => body));
  const storedMessages = new StoredMessages(history.messages);
  const log = new ReplyLog(store, clock, key);
  const added: Message[] = [];
  let previous = history.previous;
  let sent: readonly Message[] = history.messages;

  const running = run({
    ...options,
    messages: history.messages,
    checkpoints: history.checkpoints,
    ...(previous && { previous: previous.manifest }),
    tools: (options.tools ?? []).map((tool) =>
      'execute' in tool ? withJournal(tool as Tool, context, key, (caller) => storedMessages.wait(caller)) : tool,
    ),
    fetch: log.wrap(keys.wrap(options.fetch ?? plainFetch)),
    signal: task.signal,
    async outgoing(messages) {
      await storedMessages.wait(messages.at(-1));
      sent = joinTexts(messages.map((message) => keys.message(message)));
      return sent;
    },
    observer(event) {
      if (event.type === 'request') log.setTarget(toRequestTarget(options, event.provider, event.model));
      if (event.type === 'tool-start')
        events.push(branch, { type: 'tool-start', callId: event.callId, name: event.name });
      options.observer?.(event as ObserverEvent);
    },
  });

  const keep = async ({ message: received, step }: Extract<RunEvent, { type: 'message' }>) => {
    const message = keys.message(received);
    const point = await readAppendPoint(store, progress.head);
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
      [progress.head] = (await appendSiblings(context, point, replies, [...made.bodies, ...log.makeMarks()])) as [
        string,
      ];
      previous = made.stored;
    } else {
      [progress.head] = (await appendMessages(context, point, [message], {
        via: 'generate',
        generation,
        ...(thread && { thread }),
      })) as [string];
    }
    known.add(message.facts.digest);
    added.push(message);
    events.push(branch, { type: 'message', node: progress.head });
    await task.onState({ head: progress.head, status: 'running' });
    storedMessages.add(received);
  };

  const keepNew = async (checkpoints: readonly Checkpoint[]) => {
    // Without a new message, the head is a node that other branches share.
    if (progress.head === node) return;
    const made = checkpoints.slice(history.checkpoints.length);
    const stored = [...history.stored, ...added];
    await writeCheckpoint(
      context,
      progress.head,
      thread,
      made.map((checkpoint) => toStoredCheckpoint(checkpoint, stored, history.shift)),
    );
  };
  try {
    for await (const event of running) {
      if (event.type === 'message') await keep(event);
      else for (const stored of toGenerationEvents(event)) events.push(branch, stored);
    }
    const result = await running.result;
    await keepNew(result.checkpoints);
    return result;
  } catch (error) {
    storedMessages.fail(error);
    // The next request must be sent with the same checkpoints, however the run ended.
    if (isRunError(error)) await keepNew(error.checkpoints);
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

/** The stored events for an event of the run. Messages and the end are stored elsewhere. */
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
  if (isRunError(error)) return { code: error.code, message: error.message, retryable: error.retryable };
  const code = isSkeinError(error) ? error.code : 'failed';
  return { code, message: error instanceof Error ? error.message : String(error), retryable: false };
}

/**
 * The messages that are stored. A run does not wait for its consumer, so its next step waits here: no tool runs and no
 * request is sent before the messages that lead to it are stored.
 */
class StoredMessages {
  readonly #kept = new WeakSet<Message>();
  readonly #waiting = new Map<Message, (() => void)[]>();
  #failure: { readonly reason: unknown } | undefined;

  constructor(stored: readonly Message[]) {
    for (const message of stored) this.#kept.add(message);
  }

  add(message: Message): void {
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
  async wait(message: Message | undefined): Promise<void> {
    if (!message || this.#kept.has(message)) return;
    if (!this.#failure)
      await new Promise<void>((resolve) => {
        this.#waiting.set(message, [...(this.#waiting.get(message) ?? []), resolve]);
      });
    if (!this.#kept.has(message)) throw this.#failure?.reason;
  }
}

/** The options of `run` for a branch. Each branch has its own seed, because with one seed all replies would be equal. */
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

/** The provider and the model of a choice, with its own connection if it has one. */
export function resolveModel(model: ModelChoice): Exclude<ModelChoice, string> {
  return typeof model === 'string' ? parseModel(model) : model;
}
