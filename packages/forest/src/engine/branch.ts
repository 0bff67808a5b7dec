import {
  type Approval,
  type Fetch,
  type Message,
  type Observed,
  RunError,
  type RunEvent,
  type RunOptions,
  type RunResult,
  run,
  type Tool,
} from '@skein/core';
import { appendAt } from '../forest/append.ts';
import type { Context } from '../forest/context.ts';
import { joinTexts } from '../forest/join-texts.ts';
import { placeBelow } from '../forest/place.ts';
import { setRef } from '../forest/refs.ts';
import type { EventWriter } from './event-writer.ts';
import { readHistory } from './history.ts';
import { takeOfStep } from './take-of-step.ts';
import { journalled } from './tool-journal.ts';
import type { BranchState, GenerateOptions, GenerationEvent } from './types.ts';
import { WireLog } from './wire-log.ts';

export interface BranchTask {
  readonly generation: string;
  readonly branch: number;
  readonly node: string;
  readonly options: GenerateOptions & { readonly approvals?: Readonly<Record<string, Approval>> };
  readonly signal: AbortSignal;
  readonly events: EventWriter;
  /** Told as the branch grows. */
  readonly onState: (state: BranchState) => Promise<void>;
}

/** Runs the loop below a node and appends every message as it completes. It never throws for what a model does. */
export async function growBranch(context: Context, task: BranchTask): Promise<BranchState> {
  const { generation, branch, node, options, events } = task;
  const { store, clock } = context;
  const key = `${generation}/${branch}`;
  const history = await readHistory(store, node, issuerOf(options));
  const known = new Set(history.path.map(({ body }) => body));
  const wire = new WireLog(store, clock, key);
  let previous = history.previous;
  let sent: readonly Message[] = history.messages;
  let head = node;

  const running = run({
    ...runOptions(options, branch),
    messages: history.messages,
    checkpoints: history.checkpoints,
    ...(previous && { previous: previous.manifest }),
    ...(options.approvals && { approvals: options.approvals }),
    tools: (options.tools ?? []).map((tool) =>
      'execute' in tool ? journalled(tool as Tool, store, clock, key) : tool,
    ),
    fetch: wire.wrap(options.fetch ?? plainFetch),
    signal: task.signal,
    outgoing: (messages) => {
      sent = joinTexts(messages);
      return sent;
    },
    observer(event) {
      if (event.type === 'request') wire.asked({ provider: event.provider, model: event.model });
      if (event.type === 'tool-start')
        events.push(branch, { type: 'tool-start', callId: event.callId, name: event.name });
      options.observer?.(event as Observed);
    },
  });

  const keep = async ({ message, step }: Extract<RunEvent, { type: 'message' }>) => {
    const place = await placeBelow(store, head);
    if (step) {
      const { take, bodies, stored } = takeOfStep(step, sent, known, previous, generation);
      [head] = (await appendAt(context, place, [message], take, bodies)) as [string];
      previous = stored;
    } else {
      [head] = (await appendAt(context, place, [message], { via: 'generate', generation })) as [string];
    }
    known.add(message.facts.digest);
    events.push(branch, { type: 'message', node: head });
    await task.onState({ head, status: 'running' });
  };

  let state: BranchState;
  let spent: Pick<RunResult, 'usage' | 'cost'> = { usage: undefined, cost: undefined };
  try {
    for await (const event of running) {
      if (event.type === 'message') await keep(event);
      else for (const told of eventsOf(event)) events.push(branch, told);
    }
    const result = await running.result;
    await keepCheckpoints(context, node, head, history.checkpoints.length, result);
    spent = result;
    state = endOf(head, result);
  } catch (error) {
    state = { head, status: 'failed', error: errorOf(error) };
  } finally {
    running.stop();
  }
  const { usage, cost } = spent;
  events.push(branch, { type: 'branch-end', state, ...(usage && { usage }), ...(cost !== undefined && { cost }) });
  return state;
}

const plainFetch: Fetch = (url, init) => globalThis.fetch(url, init);

/** One seed for all branches would give one reply many times. */
function runOptions(
  { n: _n, again: _again, label: _label, ...options }: GenerateOptions,
  branch: number,
): Omit<RunOptions, 'messages'> {
  const seed = options.params?.seed;
  return seed === undefined ? options : { ...options, params: { ...options.params, seed: seed + branch } };
}

function issuerOf({ model }: GenerateOptions): string | undefined {
  return typeof model === 'string' ? undefined : model.provider.issuer;
}

/** What is told of an event of the run; messages and the end are told where they are stored. */
function eventsOf(event: RunEvent): GenerationEvent[] {
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

function endOf(head: string, { stop, pending }: RunResult): BranchState {
  if (stop.reason === 'aborted') return { head, status: 'aborted', stop };
  if (stop.reason !== 'approval') return { head, status: 'done', stop };
  const calls = pending.map(({ id, name, rawParameters }) => ({ id, name, rawParameters }));
  return { head, status: 'waiting', stop, pending: calls };
}

function errorOf(error: unknown): NonNullable<BranchState['error']> {
  if (error instanceof RunError) return { code: error.code, message: error.message, retryable: error.retryable };
  return { code: 'failed', message: error instanceof Error ? error.message : String(error), retryable: false };
}

/** A checkpoint is kept on the last node that it stands for. */
async function keepCheckpoints(
  context: Context,
  node: string,
  head: string,
  before: number,
  { checkpoints }: RunResult,
): Promise<void> {
  const fresh = checkpoints.slice(before);
  if (fresh.length === 0) return;
  const path = await context.store.path(head);
  await context.store.append(
    fresh.map((checkpoint) => setRef(context, 'node', path[checkpoint.upTo - 1]?.id ?? node, 'checkpoint', checkpoint)),
  );
}
