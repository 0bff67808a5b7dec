import type { NativeTool, ToolDefinition } from '../../dialects/index.ts';
import { targetToolName } from '../../dialects/write/drafts.ts';
import { isObject } from '../../json/index.ts';
import { type Content, type Message, type ToolUseBlock, toolResult } from '../../message/index.ts';
import type { Clock } from '../../providers/index.ts';
import { unansweredCalls } from '../pending-calls.ts';
import type { RunContext, Target } from '../question.ts';
import {
  type Approval,
  type CallResult,
  describeError,
  type Outcome,
  type PreparedCall,
  performCall,
  prepareCall,
  StopList,
  type Tool,
  type ToolContext,
} from './tool.ts';

export { pendingCalls } from '../pending-calls.ts';

/** Throws when an approval is malformed: a misspelt one must not count as consent. */
export function checkApprovals(approvals: Readonly<Record<string, unknown>>): void {
  for (const [id, approval] of Object.entries(approvals))
    if (approval !== undefined && approval !== 'approve' && !isWrittenApproval(approval))
      throw new TypeError(`The approval of "${id}" must be "approve", { deny: "why" } or { result: "text" }`);
}

function isWrittenApproval(approval: unknown): boolean {
  return isObject(approval) && typeof (approval.deny ?? approval.result) === 'string';
}

/** Answers the calls of a reply. Calls that wait for approval are announced and returned. */
export async function answerReply(
  calls: readonly ToolUseBlock[],
  context: RunContext,
  history: readonly Message[],
): Promise<readonly ToolUseBlock[]> {
  const waiting = await answerCalls(calls, makeCallContext(context, history));
  const { journal } = context;
  for (const call of waiting) {
    journal.emit({ type: 'approval', call });
    journal.observe({ type: 'approval', callId: call.id, name: call.name });
  }
  return waiting;
}

/** Answers the calls of a reply that will not be run. */
export function refuseReply(calls: readonly ToolUseBlock[], why: string, context: RunContext): void {
  refuseCalls(calls, `The call was not run: ${why}.`, makeCallContext(context, []));
}

/** A run answers all calls of its own, so the unanswered ones that it starts with stay the same. */
const unapprovedByRun = new WeakMap<RunContext, Promise<readonly string[]>>();

/** The ids of calls without a result that wait, or would have waited, for an approval. */
export function unapprovedCalls(messages: readonly Message[], context: RunContext): Promise<readonly string[]> {
  const known =
    unapprovedByRun.get(context) ?? waitingIds(unansweredCalls(messages), makeCallContext(context, messages));
  unapprovedByRun.set(context, known);
  return known;
}

function makeCallContext(
  { options, journal, stopping, clock, tools, targets }: RunContext,
  history: readonly Message[],
): CallContext {
  return {
    tools: tools ?? new ToolSet([]),
    targets,
    approvals: options.approvals ?? {},
    history,
    signal: stopping.signal,
    clock,
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

/** One call, for the end user's log. */
export interface Action {
  readonly callId: string;
  /** The tool's own name, if it is known. */
  readonly name: string;
  /** The arguments as the model wrote them. */
  readonly arguments: string;
  readonly outcome: Outcome;
  /** What the tool itself noted. */
  readonly notes: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** What answering the calls of one message needs. */
export interface CallContext {
  readonly tools: ToolSet;
  /** The targets for which the names of tools may have been changed. */
  readonly targets: ToolTargets;
  readonly approvals: Readonly<Record<string, Approval>>;
  readonly history: readonly Message[];
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onStart: (call: ToolUseBlock, name: string) => void;
  /** Called for each answer, in the order in which the calls finish. */
  readonly onEnd: (action: Action, message: Message) => void;
  /** Called for each answer, in the order of the calls. */
  readonly onMessage: (message: Message) => void;
}

/** Answers the calls of a message. Calls that wait for approval are returned unanswered. */
export async function answerCalls(
  calls: readonly ToolUseBlock[],
  context: CallContext,
): Promise<readonly ToolUseBlock[]> {
  const entries = await Promise.all(calls.map((call) => prepare(call, context)));
  const decided = entries.filter(isDecided);
  const messages = new Map<Entry, Message>();
  const stops = new StopList(context.signal);
  let told = 0;
  const answer = async (entry: Decided) => {
    messages.set(entry, await answerOne(entry, context, stops));
    // A message waits until all before it are there.
    for (; told < decided.length && messages.has(decided[told]!); told++)
      context.onMessage(messages.get(decided[told]!)!);
  };
  for (const batch of batches(decided)) await Promise.all(batch.map(answer));
  stops.dispose();
  return entries.filter((entry) => !isDecided(entry)).map(({ call }) => call);
}

/** The ids of the calls that wait for approval. */
export async function waitingIds(calls: readonly ToolUseBlock[], context: CallContext): Promise<readonly string[]> {
  const entries = await Promise.all(calls.map((call) => prepare(call, context)));
  return entries.filter((entry) => !isDecided(entry)).map(({ call }) => call.id);
}

/** Answers calls that will not be run. */
export function refuseCalls(calls: readonly ToolUseBlock[], why: string, context: CallContext): void {
  for (const call of calls) {
    const entry = makeEntry(call, context, { kind: 'answered', outcome: 'not-run', text: why });
    context.onMessage(finish(entry, { outcome: 'not-run', content: why }, context.clock.now(), context));
  }
}

interface Entry {
  readonly call: ToolUseBlock;
  readonly name: string;
  readonly prepared: PreparedCall;
  readonly context: ToolContext;
  readonly notes: string[];
}

/** An entry that does not wait for approval. */
interface Decided extends Entry {
  readonly prepared: Exclude<PreparedCall, { kind: 'waiting' }>;
}

function isDecided(entry: Entry): entry is Decided {
  return entry.prepared.kind !== 'waiting';
}

function makeEntry(
  call: ToolUseBlock,
  { tools, targets, signal, history }: CallContext,
  prepared: PreparedCall,
): Entry {
  const notes: string[] = [];
  const context = { signal, callId: call.id, messages: history, note: (text: string) => void notes.push(text) };
  return { call, name: tools.ownName(call.name, targets), prepared, context, notes };
}

async function prepare(call: ToolUseBlock, context: CallContext): Promise<Entry> {
  const { tools, targets, approvals } = context;
  const entry = makeEntry(call, context, { kind: 'waiting' });
  const approval = Object.hasOwn(approvals, call.id) ? approvals[call.id] : undefined;
  const prepared = await prepareCall(call, tools.find(call.name, targets), tools.names, approval, entry.context);
  return { ...entry, prepared };
}

/** Groups calls that run side by side; a call of a sequential tool runs alone. */
function* batches(entries: readonly Decided[]): Generator<readonly Decided[]> {
  let batch: Decided[] = [];
  for (const entry of entries) {
    const alone = entry.prepared.kind === 'ready' && entry.prepared.tool.sequential;
    if (alone && batch.length > 0) {
      yield batch;
      batch = [];
    }
    if (alone) yield [entry];
    else batch.push(entry);
  }
  if (batch.length > 0) yield batch;
}

async function answerOne(entry: Decided, context: CallContext, stops: StopList): Promise<Message> {
  const { call, name, prepared } = entry;
  const startedAt = context.clock.now();
  context.onStart(call, name);
  const result: CallResult =
    prepared.kind === 'ready'
      ? await performCall(prepared.tool, prepared.input, entry.context, context.clock, stops)
      : { outcome: prepared.outcome, content: prepared.text };
  return finish(entry, result, startedAt, context);
}

function finish(
  { call, name, notes }: Entry,
  { outcome, content }: CallResult,
  startedAt: number,
  { clock, onEnd }: CallContext,
): Message {
  const { message, outcome: final } = writeResult(call.id, outcome, content);
  const durationMs = clock.now() - startedAt;
  onEnd(
    { callId: call.id, name, arguments: call.rawParameters, outcome: final, notes, startedAt, durationMs },
    message,
  );
  return message;
}

/** A call fails when the blocks that its tool returned are invalid. */
function writeResult(callId: string, outcome: Outcome, content: Content): { message: Message; outcome: Outcome } {
  try {
    return { message: toolResult(callId, content, { isError: outcome !== 'done' }), outcome };
  } catch (error) {
    const text = `The tool gave back something that cannot be sent: ${describeError(error)}`;
    return { message: toolResult(callId, text, { isError: true }), outcome: 'failed' };
  }
}

/** The targets for which the names of tools may have been changed. */
export type ToolTargets = readonly Pick<Target, 'provider'>[];

/** The tools of a run: their definitions for a model, and their lookup by the name that it calls. */
export class ToolSet {
  readonly #all: readonly (Tool | NativeTool)[];
  readonly #tools: readonly Tool[];

  constructor(tools: readonly (Tool | NativeTool)[]) {
    const wrong = tools.findIndex((tool) => !isTool(tool) && !isNative(tool));
    if (wrong >= 0) throw new TypeError(`tools[${wrong}] is not a tool; make it with tool({ name, input, execute })`);
    this.#all = tools;
    this.#tools = tools.filter(isTool);
    const names = this.#tools.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new TypeError(`Two tools are named "${twice}"`);
  }

  get names(): readonly string[] {
    return this.#tools.map(({ name }) => name);
  }

  definitions(dialect: string): readonly ToolDefinition[] {
    return this.#all.map((tool) => {
      if (!isTool(tool)) return tool;
      const { name, description, parameters, native } = tool;
      return (
        native.find((words) => words.dialect === dialect) ?? {
          name,
          ...(description !== undefined && { description }),
          parameters,
        }
      );
    });
  }

  /** Finds a tool by its own name, or by the name that it was given for one of these targets. */
  find(name: string, targets: ToolTargets): Tool | undefined {
    return (
      this.#tools.find((tool) => tool.name === name) ??
      this.#tools.find((tool) =>
        targets.some(({ provider }) => targetToolName(tool.name, provider.policies, '', []) === name),
      )
    );
  }

  /** The tool's own name, which may differ from the name that the model was given. */
  ownName(name: string, targets: ToolTargets): string {
    return this.find(name, targets)?.name ?? name;
  }
}

function isTool(tool: Tool | NativeTool): tool is Tool {
  return isObject(tool) && typeof tool.execute === 'function' && typeof tool.check === 'function';
}

function isNative(tool: unknown): boolean {
  return isObject(tool) && typeof tool.dialect === 'string' && typeof tool.native === 'string';
}
