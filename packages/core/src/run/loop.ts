/** The loop of a run: it asks, runs tools and asks again. Loaded with the first question. */
import type { Usage } from '../dialects/index.ts';
import { checkNames } from '../dialects/request.ts';
import { isSkeinError } from '../error.ts';
import { type JsonObject, textAt } from '../json/index.ts';
import type { Message, ToolUseBlock } from '../message/index.ts';
import { checkMessages, ListFold } from '../message/message.ts';
import type { RefusalMemory, SocketSession } from '../providers/index.ts';
import { realClock, Stopper } from '../providers/transport/clock.ts';
import { deliver } from '../providers/transport/deliver.ts';
import { ProviderError } from '../providers/transport/provider-error.ts';
import type { Compactor } from './compaction/compactor.ts';
import { Journal } from './journal.ts';
import { type Limits, type ModelLimits, OPTION_NAMES, type RunOptions } from './options.ts';
import {
  announceRequest,
  type Directory,
  type FailedTarget,
  joinHeaders,
  type Question,
  type QuestionRequest,
  ReplyReader,
  type RunContext,
  resolveTargets,
  type SendResult,
  type Target,
  targetName,
  toStep,
  writeQuestion,
} from './question.ts';
import { hasContent, RunError, type RunResult, type RunStop, type Step, totalTokens } from './result.ts';
import type { ServerStateKeeper } from './server-state.ts';
import { Steering, type SteeringInput } from './steering.ts';

/** Executes a run from its beginning to its end, and emits what happens. */
export async function executeRun(
  options: RunOptions,
  directory: Directory,
  stopped: AbortSignal,
  emit: Journal['emit'],
  added: SteeringInput,
): Promise<RunResult> {
  const { clock = realClock, signal, limits } = options;
  const journal = new Journal(options, clock, emit);
  const stopping = new Stopper<'aborted' | 'time'>(clock);
  const steering = new Steering(added);
  const lanes: RunContext['lanes'] = new Map();
  let own: SocketSession | undefined;
  try {
    await checkOptions(options);
    for (const one of [stopped, signal]) stopping.follow(one, () => 'aborted');
    stopping.after((limits?.seconds ?? Number.POSITIVE_INFINITY) * 1000, 'time');
    // Loaded on first use, like the schema checker that it needs.
    const output = options.output && new (await import('./output-schema.ts')).OutputSchema(options.output);
    const tools = [...(options.tools ?? []), ...(output ? [output.tool] : [])];
    const context: RunContext = {
      ...{ options, journal, stopping, clock, output, keepers: new Map(), lanes, steering },
      session: async () => {
        const { transport, openSocket } = options;
        if (typeof transport === 'object') return transport;
        // Loaded on first use: most runs use HTTP.
        const { SocketSession } = await import('../providers/transport/socket-session.ts');
        own ??= new SocketSession({ openSocket });
        return own;
      },
      tools: tools.length > 0 ? new (await loadTools()).ToolSet(tools) : undefined,
      targets: await resolveTargets(options, directory),
    };
    const { stop, pending } = await loop(context, directory);
    keepUnsent(steering, journal, pending.length > 0);
    const result = journal.result(stop, pending, await output?.read(journal.text, stop));
    const { usage, cost, steps } = result;
    journal.observe({ type: 'finish', stop, usage, cost, steps: steps.length, result });
    emit({ type: 'finish', result });
    return result;
  } catch (cause) {
    keepUnsent(steering, journal, false);
    const error = new RunError(cause, journal.added, journal.steps, journal.checkpoints);
    journal.observe({ type: 'failed', code: error.code, error });
    throw error;
  } finally {
    steering.close();
    for (const lane of lanes.values()) lane.release();
    own?.close();
    stopping.dispose();
  }
}

/** What the caller added too late belongs in the history. Behind calls that wait for approval it would end their waiting. */
function keepUnsent(steering: Steering, journal: Journal, isWaiting: boolean): void {
  steering.close();
  for (const message of [...steering.takeQueued(), ...steering.takeWaiting()])
    if (isWaiting) journal.notice('steering', `Not sent, because calls wait for approval: ${message.text}`);
    else journal.add(message);
}

/** Loaded on first use: many runs have no tools. */
const loadTools = () => import('./tools/answer-calls.ts');

interface LoopEnd {
  readonly stop: RunStop;
  /** Calls that wait for approval. */
  readonly pending: readonly ToolUseBlock[];
}

/** When a reply ends for one of these reasons, its calls may be unfinished or unwanted. */
const EARLY_ENDS: ReadonlySet<string> = new Set(['length', 'refusal', 'filter', 'error', 'cut']);

async function loop(context: RunContext, directory: Directory): Promise<LoopEnd> {
  const { options, journal, stopping, clock, output, steering } = context;
  const { stopWhen, limits = {} } = options;
  const startedAt = clock.now();
  const stored = checkMessages(options.messages);
  const history = (): readonly Message[] => (journal.added.length > 0 ? stored.concat(journal.added) : stored);
  const askModels = makeAsker(context, directory);

  // The history may end with calls that have no results yet.
  const last = stored.findLast(({ role }) => role === 'assistant');
  let calls = last?.facts.calls.length ? (await loadTools()).pendingCalls(stored) : [];
  for (;;) {
    if (calls.length > 0) {
      const { answerReply } = await loadTools();
      const waiting = await answerReply(calls, context, history());
      if (stopping.stopped || waiting.length > 0) return end(stopping.stopped ?? 'approval', waiting);
      if (output?.answer !== undefined) return end('end');
    }
    if (stopping.stopped) return end(stopping.stopped);
    const { steps, added, usage, knownCost: cost } = journal;
    if (steps.length > 0 && stopWhen?.({ steps: [...steps], messages: [...added] })) return end('stopped');
    const limit = findReachedLimit(limits, { steps: steps.length, usage, cost, ms: clock.now() - startedAt });
    if (limit) return end(limit);

    const queued = steering.takeQueued();
    for (const message of [...queued, ...steering.takeWaiting()]) journal.add(message);
    const { step, isFollowed, ...asked } = await askModels(history(), queued);
    calls = asked.calls;
    if (stopping.stopped) {
      if (!step?.message.origin.cut) await refuse('the run was stopped');
      return end(stopping.stopped);
    }
    const { stop, provider, model } = step!;
    if (stop.reason === 'length')
      journal.notice('length', `${provider}/${model} reached its limit of tokens; the answer is incomplete`);
    const isEarly = EARLY_ENDS.has(stop.reason);
    if (isEarly) await refuse(`the reply ended early (${stop.native ?? stop.reason})`);
    if (options.warmUp) return { stop, pending: [] };
    if (isFollowed || steering.hasMore) continue;
    if (isEarly || (calls.length === 0 && stop.reason !== 'pause')) return { stop, pending: [] };
  }

  async function refuse(reason: string): Promise<void> {
    if (calls.length > 0) (await loadTools()).refuseReply(calls, reason, context);
  }
}

function end(reason: RunStop['reason'], pending: readonly ToolUseBlock[] = []): LoopEnd {
  return { stop: { reason, native: undefined }, pending };
}

/** The limit that forbids another request, if any. */
export function findReachedLimit(
  { steps = 10, tokens = Infinity, cost = Infinity, seconds = Infinity }: Limits,
  spent: {
    readonly steps: number;
    readonly usage: Usage | undefined;
    /** As far as it is known. */
    readonly cost: number;
    readonly ms: number;
  },
): 'steps' | 'tokens' | 'cost' | 'time' | undefined {
  if (spent.steps >= steps) return 'steps';
  if (totalTokens(spent.usage) >= tokens) return 'tokens';
  if (spent.cost >= cost) return 'cost';
  return spent.ms >= seconds * 1000 ? 'time' : undefined;
}

/** Checks options before anything is sent or run: a misspelt limit must not count as no limit. */
async function checkOptions(options: RunOptions): Promise<void> {
  const { limits, approvals, costOf } = options;
  checkNames('option', options, OPTION_NAMES);
  checkNames('limit', limits, 'steps tokens cost seconds');
  for (const [name, limit] of Object.entries(limits ?? {}))
    if (limit !== undefined && (typeof limit !== 'number' || Number.isNaN(limit)))
      throw new TypeError(`The limit "${name}" must be a number`);
  if (limits?.cost !== undefined && !costOf)
    throw new TypeError('The limit "cost" needs "costOf", such as that of @skein/core/prices');
  if (approvals) (await loadTools()).checkApprovals(approvals);
}

/** What a model answered. */
interface ModelAnswer {
  readonly step: Step | undefined;
  readonly calls: readonly ToolUseBlock[];
  /** Whether another response follows by itself, because the caller steered this one. */
  readonly isFollowed: boolean;
}

/**
 * Makes the function that gets the next reply from the first model that gives one, and adds it to the journal. It returns
 * undefined when the run was stopped before anything came, and throws when no model can answer.
 */
function makeAsker(
  context: RunContext,
  directory: Directory,
): (history: readonly Message[], queued: readonly Message[]) => Promise<ModelAnswer> {
  const { options, journal, stopping, targets, steering } = context;
  let current = 0;
  let compactor: Compactor | undefined;
  return async (history, queued) => {
    let failed: FailedTarget | undefined;
    for (;;) {
      const target = targets[current]!;
      const limits = findLimits(target);
      const messages = await makeOutgoing(history, limits);
      // The context size of a model's family decides when to compact, but never shortens an answer: an account may have a
      // larger one, such as the million tokens of Claude's beta.
      const askedLimits = options.modelLimits ? limits : { maxOutputTokens: limits.maxOutputTokens };
      const paused = findPaused(messages, journal.steps);
      const sent = await ask({ context, target, limits: askedLimits, failed, messages, paused, queued });
      const step = recordReply(context, sent);
      const committed = steering.takeCommitted();
      for (const message of committed) journal.add(message);
      const { failure, isTold, isPlain } = sent;
      // A message is not read for calls that it does not have.
      const calls = (!isPlain && step?.message.toolUses) || [];
      if (failure === undefined || stopping.stopped) return { step, calls, isFollowed: committed.length > 0 };
      if (isTold || !mayFallBack(failure) || !targets[current + 1]) throw failure;
      failed = { target, failure };
      current++;
    }
  };

  function findLimits({ provider, model }: Target): ModelLimits {
    return options.modelLimits?.(provider.id, model) ?? directory.modelLimits?.(provider, model) ?? {};
  }

  async function makeOutgoing(stored: readonly Message[], limits: ModelLimits): Promise<readonly Message[]> {
    const { signal } = stopping;
    const { notice } = journal;
    let messages = stored;
    if (options.compaction || journal.checkpoints.length > 0) {
      // Loaded on first use: most runs are short.
      compactor ??= new (await import('./compaction/compactor.ts')).Compactor(context);
      messages = await compactor.outgoing(stored, limits);
    }
    return (await options.outgoing?.(messages, { limits, signal, notice })) ?? messages;
  }
}

/** The steps of the replies at the end of the messages that paused, the last of them included. */
function findPaused(messages: readonly Message[], steps: readonly Step[]): readonly Step[] {
  const isPaused = ({ stop, message }: Step, back: number): boolean =>
    stop.reason === 'pause' && messages.at(-1 - back) === message;
  const count = [...steps].reverse().findIndex((step, back) => !isPaused(step, back));
  return count < 0 ? steps : steps.slice(steps.length - count);
}

/** A request that is wrong in itself is wrong elsewhere, too; and a caller who stops wants no other answer. */
function mayFallBack(failure: unknown): boolean {
  if (failure instanceof ProviderError) return failure.code !== 'aborted' && failure.code !== 'invalid_request';
  return isSkeinError(failure, 'missing_key');
}

/** How many times in one step a provider may refuse further fields: some name one at a time. */
const MAX_REFUSALS = 5;

/** What providers refused is learnt once for all runs. */
let remembered: RefusalMemory | undefined;

/** A request with what came of it. */
interface Exchanged extends SendResult {
  readonly question: Question;
  readonly request: QuestionRequest;
}

/** Asks one model. Fields that the provider gave itself and now refuses by name are left out, and the rest is sent again. */
async function ask(asked: Question): Promise<Exchanged> {
  const { context, target } = asked;
  const { journal, options } = context;
  const unapproved = await findUnapproved(asked.messages, context);
  let sent: Exchanged | undefined;
  let fields: readonly string[] = [];
  let isForgotten = false;
  const isSocket = options.transport !== undefined && options.transport !== 'http';
  const keeper = options.serverState || isSocket ? await findKeeper(context, target) : undefined;
  if (isSocket) await findLane(context, target);
  const warmUp = options.warmUp ? findWarmUp(target, isSocket) : {};
  const diagnosis = options.cacheDiagnosis ? await target.dialect.cacheDiagnosis?.() : undefined;
  for (let refusals = 0; ; refusals++) {
    // The previous request contained the refused field: nothing of it is reused.
    const previous = sent ? undefined : journal.manifest;
    const { question, continuesReply, members } = continuePaused(asked, keeper);
    const { messages } = question;
    const diagnosed = diagnosis?.members(findResponseId(journal, target));
    const changes = { continuesReply, members: { ...members, ...diagnosed, ...warmUp } };
    const whole = writeQuestion(question, options.refusals ?? remembered, unapproved, previous, changes);
    const sentForm = keeper?.toSent(whole, question, options.extraBody);
    const headers = (await target.dialect.requestHeaders?.())?.(messages, whole.written.manifest.tail) ?? {};
    const request: QuestionRequest = { ...whole, headers, ...(sentForm && { sent: sentForm }) };
    if (sent && !isForgotten && request.written.body === sent.request.written.body) return sent;
    if (sent && !isForgotten)
      journal.notice('refused-field', `${targetName(target)} refuses what it gave itself: ${fields.join(', ')}`);
    announceRequest(question, request, !sent);
    sent = { ...(await send(context, target, request)), question, request };
    if (request.sent) keeper!.noteReply(sent, request.written.manifest, options.warmUp);
    const miss = sent.reply && diagnosis?.readMiss(sent.reply.envelope);
    if (miss) journal.notice('cache-miss', `${targetName(target)} did not use its cache: ${miss}`);
    const { failure } = sent;
    isForgotten = request.sent !== undefined && refusals < MAX_REFUSALS && keeper!.isForgotten(sent, request.sent);
    if (isForgotten) continue;
    if (refusals === MAX_REFUSALS || !(failure instanceof ProviderError) || !failure.status) return sent;
    // Loaded on first use: few requests are refused.
    const { RefusalMemory, refusedFields } = await import('../providers/refused-fields.ts');
    fields = refusedFields(failure.status, failure.rawBody ?? '', request.written.body);
    if (fields.length === 0) return sent;
    remembered ??= new RefusalMemory();
    (options.refusals ?? remembered).learn(target.provider, target.model, fields);
  }
}

/** The id of the last response of a provider in this conversation, as far as it is known. */
function findResponseId({ steps, manifest }: Journal, { provider }: Target): string | undefined {
  const last = steps.at(-1);
  if (!last) return manifest?.response?.id;
  const id = last.provider === provider.id ? textAt(last.envelope, ['id']) : undefined;
  return id?.startsWith('"') ? (JSON.parse(id) as string) : undefined;
}

/**
 * How a reply that paused is continued: by the API that has it, by a token in place of the reply, or else by sending it
 * again at the end of the conversation.
 */
function continuePaused(
  question: Question,
  keeper: ServerStateKeeper | undefined,
): { readonly question: Question; readonly members?: JsonObject | undefined; readonly continuesReply?: boolean } {
  const { paused, target, messages } = question;
  const last = paused.at(-1);
  if (!last) return { question };
  const members = target.dialect.continuation?.(last.envelope);
  if (keeper?.hasReply(last.message)) return { question, members, continuesReply: true };
  return members ? { question: { ...question, messages: messages.slice(0, -paused.length) }, members } : { question };
}

/** Loaded on first use: most runs send the whole history. */
async function findKeeper(
  { keepers, journal, options, session }: RunContext,
  target: Target,
): Promise<ServerStateKeeper | undefined> {
  const known = keepers.get(target);
  const state = known ? undefined : await target.dialect.serverState?.();
  if (!state) return known;
  const answers = options.serverState ? undefined : (await session()).answers;
  const made = new (await import('./server-state.ts')).ServerStateKeeper(state, target, journal, answers);
  keepers.set(target, made);
  return made;
}

async function findLane({ lanes, options, stopping, session }: RunContext, target: Target): Promise<void> {
  if (lanes.has(target)) return;
  const protocol = await target.dialect.socket?.();
  if (!protocol || options.stream === false)
    throw new TypeError(
      protocol
        ? 'Over a WebSocket every reply is a stream: leave out "stream: false", or the transport "websocket"'
        : `${targetName(target)} is not spoken over a WebSocket: leave out the transport "websocket"`,
    );
  const lane = (await session()).lane(protocol);
  lane.isWarmUp = options.warmUp === true;
  if (!stopping.stopped) lanes.set(target, lane);
}

/** The members of a request that generates nothing. Over a WebSocket the message says so. */
function findWarmUp(target: Target, isSocket: boolean): JsonObject {
  if (isSocket) return {};
  const { warmUp } = target.dialect;
  if (!warmUp) throw new TypeError(`${targetName(target)} has no request that only warms up: leave out "warmUp"`);
  return warmUp;
}

/** Calls that nobody answered while they waited for approval: what is sent in place of a result says so. */
async function findUnapproved(messages: readonly Message[], context: RunContext): Promise<readonly string[]> {
  if (!context.tools || openCalls.fold(messages).open.size === 0) return [];
  return (await loadTools()).unapprovedCalls(messages, context);
}

/** The ids of the calls that a history answers, and of those that it leaves open. */
const openCalls = new ListFold(
  () => ({ answered: new Set<string>(), open: new Set<string>() }),
  ({ answered, open }, { facts }) => {
    for (const id of facts.results) {
      answered.add(id);
      open.delete(id);
    }
    for (const { id } of facts.calls) if (!answered.has(id)) open.add(id);
  },
);

/** Sends a request until there is a reply, or another attempt would be pointless. It never throws. */
async function send(
  context: RunContext,
  target: Target,
  { written, sent, headers = {} }: QuestionRequest,
): Promise<SendResult> {
  const { options, journal, clock, stopping } = context;
  const { provider, model, connection, dialect } = target;
  const { withBytes, manifest } = sent ? { withBytes: undefined, manifest: written.manifest } : written;
  const extraHeaders = joinHeaders(connection.extraHeaders, headers, sent?.headers ?? {});
  const lane = context.lanes.get(target);
  const fetch = lane?.fetch ?? connection.fetch;
  const { stream = true, timeouts, retry, random } = options;
  const reader = new ReplyReader(context, target, manifest.prefix);
  const { steering } = context;
  if (lane) steering.open((message, told) => lane.steer(writeItems(message, target), told));
  let failure: unknown;
  try {
    await deliver(
      {
        ...connection,
        ...{
          key: connection.apiKey,
          provider,
          model,
          withBytes,
          stream,
          framing: dialect.framing,
          extraHeaders,
          fetch,
        },
        ...{ signal: stopping.signal, clock, timeouts, retry, random },
        get body() {
          return (sent ?? written).body;
        },
        onRetry: ({ attempts: attempt, waitMs, error }) => {
          journal.emit({ type: 'retry', attempt, waitMs, reason: error.message });
          journal.observe({ type: 'retry', attempt, waitMs, code: error.code });
        },
      },
      (response) => reader.receive(response),
      () => reader.isTold,
    );
  } catch (error) {
    failure = error;
  }
  steering.shut();
  if (lane && failure === undefined) await stopping.race(lane.settle(), Infinity, 'time').catch(() => {});
  return reader.result(failure);
}

/** A message as elements of the list of messages. */
function writeItems(message: Message, { dialect, provider, model }: Target): string {
  const { body } = dialect.writeRequest({ model, provider, messages: [message] });
  return textAt(body, [dialect.members!.messages])!.slice(1, -1);
}

/** Adds what came of a request to the journal, also when it failed half way. */
function recordReply({ journal, options, stopping }: RunContext, sent: Exchanged): Step | undefined {
  const { failure, requestId, question, request, isTold } = sent;
  const { target, messages } = question;
  const about = { step: journal.step, provider: target.provider.id, model: target.model, requestId };
  if (failure !== undefined) {
    const { code, status } =
      failure instanceof ProviderError ? failure : { code: 'failed' as const, status: undefined };
    journal.observe({ type: 'request-failed', ...about, code, status, error: failure });
    // A reply that said nothing does not count; another model is asked.
    if (!isTold && !stopping.stopped) return undefined;
  }
  const step = toStep(sent, request, target, messages, options, (reason) =>
    journal.notice('price-unknown', `The cost of ${targetName(target)} is not known: ${reason}`),
  );
  if (!step) return undefined;
  journal.steps.push(step);
  const { message, envelope, stop, usage, estimated, cost, durationMs } = step;
  const reply = { replyModel: message.origin.model, stop, usage, estimated, cost, durationMs, message, envelope };
  journal.observe({ type: 'response', ...about, ...reply });
  // A complete reply is a message, even an empty one; a reply that broke off before its first word is none.
  if (!options.warmUp && (failure === undefined || hasContent(message))) journal.add(message, step);
  return step;
}
