import { type Content, type Message, type ToolUseBlock, toolResult } from '../../message/index.ts';
import type { Clock } from '../../providers/index.ts';
import { FanOut } from './fan-out.ts';
import { type Performed, perform } from './perform.ts';
import { type Approval, messageOf, type Outcome, type Prepared, prepareCall } from './prepare.ts';
import type { Named, ToolSet } from './tool-set.ts';
import type { ToolContext } from './types.ts';

/** One call as the end user may want to see it. */
export interface Action {
  readonly callId: string;
  /** The tool's own name, where it is known. */
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

export interface Answering {
  readonly tools: ToolSet;
  /** All that the tools' names may have been changed for. */
  readonly targets: readonly Named[];
  readonly approvals: Readonly<Record<string, Approval>>;
  readonly history: readonly Message[];
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onStart: (call: ToolUseBlock, name: string) => void;
  /** A call is answered; in whatever order they are done. */
  readonly onEnd: (action: Action, message: Message) => void;
  /** The same messages in the order of the calls. */
  readonly onMessage: (message: Message) => void;
}

/** Answers the calls of a message. Those that wait for approval are left, and given back. */
export async function answerCalls(
  calls: readonly ToolUseBlock[],
  answering: Answering,
): Promise<readonly ToolUseBlock[]> {
  const entries = await Promise.all(calls.map((call) => prepare(call, answering)));
  const decided = entries.filter(isDecided);
  const messages = new Map<Entry, Message>();
  const stops = new FanOut(answering.signal);
  let told = 0;
  const answer = async (entry: Decided) => {
    messages.set(entry, await answerOne(entry, answering, stops));
    // As far as all before it are there, too.
    for (; told < decided.length && messages.has(decided[told]!); told++)
      answering.onMessage(messages.get(decided[told]!)!);
  };
  for (const batch of batches(decided)) await Promise.all(batch.map(answer));
  stops.dispose();
  return entries.filter((entry) => !isDecided(entry)).map(({ call }) => call);
}

/** Ids of those calls that wait for approval. */
export async function waitingIds(calls: readonly ToolUseBlock[], answering: Answering): Promise<readonly string[]> {
  const entries = await Promise.all(calls.map((call) => prepare(call, answering)));
  return entries.filter((entry) => !isDecided(entry)).map(({ call }) => call.id);
}

/** Answers calls that will not be run. */
export function refuseCalls(calls: readonly ToolUseBlock[], why: string, answering: Answering): void {
  for (const call of calls) {
    const entry = entryOf(call, answering, { kind: 'answered', outcome: 'not-run', text: why });
    answering.onMessage(finish(entry, { outcome: 'not-run', content: why }, answering.clock.now(), answering));
  }
}

interface Entry {
  readonly call: ToolUseBlock;
  readonly name: string;
  readonly prepared: Prepared;
  readonly context: ToolContext;
  readonly notes: string[];
}

/** One that does not wait for approval. */
interface Decided extends Entry {
  readonly prepared: Exclude<Prepared, { kind: 'waiting' }>;
}

function isDecided(entry: Entry): entry is Decided {
  return entry.prepared.kind !== 'waiting';
}

function entryOf(call: ToolUseBlock, { tools, targets, signal, history }: Answering, prepared: Prepared): Entry {
  const notes: string[] = [];
  const context = { signal, callId: call.id, messages: history, note: (text: string) => void notes.push(text) };
  return { call, name: tools.ownName(call.name, targets), prepared, context, notes };
}

async function prepare(call: ToolUseBlock, answering: Answering): Promise<Entry> {
  const { tools, targets, approvals } = answering;
  const entry = entryOf(call, answering, { kind: 'waiting' });
  const approval = Object.hasOwn(approvals, call.id) ? approvals[call.id] : undefined;
  const prepared = await prepareCall(call, tools.find(call.name, targets), tools.names, approval, entry.context);
  return { ...entry, prepared };
}

/** Calls that run side by side; one of a sequential tool runs alone. */
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

async function answerOne(entry: Decided, answering: Answering, stops: FanOut): Promise<Message> {
  const { call, name, prepared, context } = entry;
  const startedAt = answering.clock.now();
  answering.onStart(call, name);
  const performed: Performed =
    prepared.kind === 'ready'
      ? await perform(prepared.tool, prepared.input, context, answering.clock, stops)
      : { outcome: prepared.outcome, content: prepared.text };
  return finish(entry, performed, startedAt, answering);
}

function finish(
  { call, name, notes }: Entry,
  { outcome, content }: Performed,
  startedAt: number,
  { clock, onEnd }: Answering,
): Message {
  const { message, outcome: final } = written(call.id, outcome, content);
  const durationMs = clock.now() - startedAt;
  onEnd(
    { callId: call.id, name, arguments: call.rawParameters, outcome: final, notes, startedAt, durationMs },
    message,
  );
  return message;
}

/** Blocks that a tool made up may be none: then the call failed. */
function written(callId: string, outcome: Outcome, content: Content): { message: Message; outcome: Outcome } {
  try {
    return { message: toolResult(callId, content, { isError: outcome !== 'done' }), outcome };
  } catch (error) {
    const text = `The tool gave back something that cannot be sent: ${messageOf(error)}`;
    return { message: toolResult(callId, text, { isError: true }), outcome: 'failed' };
  }
}
