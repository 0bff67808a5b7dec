/** One question to one model: it is written, sent, and sent again where that helps. Loaded with the loop. */
import type { Usage } from '../dialects/index.ts';
import type { JsonObject } from '../json/index.ts';
import type { Message } from '../message/index.ts';
import { ListFold } from '../message/message.ts';
import type { RefusalMemory } from '../providers/index.ts';
import { deliver } from '../providers/transport/deliver.ts';
import { ProviderError } from '../providers/transport/provider-error.ts';
import type { RunOptions } from './options.ts';
import {
  announceRequest,
  type Question,
  type QuestionRequest,
  ReplyReader,
  type RunContext,
  type SendResult,
  type Target,
  targetName,
  writeQuestion,
} from './question.ts';
import { estimateInput, estimateUsage, hasContent, type Step } from './result.ts';
import type { ServerStateKeeper } from './server-state.ts';

/** Loaded on first use: most runs send the whole history, over HTTP. */
const loadExtras = () => import('./request-extras.ts');

function needsExtras({ serverState, transport = 'http', warmUp, cacheDiagnosis }: RunOptions): boolean {
  return serverState === true || transport !== 'http' || warmUp === true || cacheDiagnosis === true;
}

/** How many times in one step a provider may refuse further fields: some name one at a time. */
const MAX_REFUSALS = 5;

/** What providers refused is learnt once for all runs. */
let remembered: RefusalMemory | undefined;

/** A request with what came of it. */
export interface Exchanged extends SendResult {
  readonly question: Question;
  readonly request: QuestionRequest;
}

/** Asks one model. Fields that the provider gave itself and now refuses by name are left out, and the rest is sent again. */
export async function ask(asked: Question): Promise<Exchanged> {
  const { context, target } = asked;
  const { journal, options } = context;
  const unapproved = await findUnapproved(asked.messages, context);
  let sent: Exchanged | undefined;
  let fields: readonly string[] = [];
  let isForgotten = false;
  const extras = needsExtras(options) ? await (await loadExtras()).prepareExtras(context, target) : undefined;
  const keeper = extras?.keeper;
  for (let refusals = 0; ; refusals++) {
    // The previous request contained the refused field: nothing of it is reused.
    const previous = sent ? undefined : journal.manifest;
    const { question, continuesReply, members } = continuePaused(asked, keeper);
    const { messages } = question;
    const changes = { continuesReply, members: { ...members, ...extras?.members() } };
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
    extras?.noteReply(sent);
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

/**
 * How a reply that paused is continued: by the API that has it, by a token in place of the reply, or else by sending it
 * again at the end of the conversation.
 */
function continuePaused(
  question: Question,
  keeper: ServerStateKeeper | undefined,
): { readonly question: Question; readonly members?: JsonObject | undefined; readonly continuesReply?: boolean } {
  const { context, target, messages } = question;
  const paused = findPaused(messages, context.journal.steps);
  const last = paused.at(-1);
  if (!last) return { question };
  const members = target.dialect.continuation?.(last.envelope);
  if (keeper?.hasReply(last.message)) return { question, members, continuesReply: true };
  return members ? { question: { ...question, messages: messages.slice(0, -paused.length) }, members } : { question };
}

/** Calls that nobody answered while they waited for approval: what is sent in place of a result says so. */
async function findUnapproved(messages: readonly Message[], context: RunContext): Promise<readonly string[]> {
  if (!context.tools || openCalls.fold(messages).open.size === 0) return [];
  return (await import('./tools/answer-calls.ts')).unapprovedCalls(messages, context);
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
  if (lane) (await loadExtras()).steerInto(lane, steering, target);
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

/** Adds what came of a request to the journal, also when it failed half way. */
export function recordReply({ journal, options, stopping }: RunContext, sent: Exchanged): Step | undefined {
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

/** The steps of the replies at the end of the messages that paused, the last of them included. */
function findPaused(messages: readonly Message[], steps: readonly Step[]): readonly Step[] {
  const isPaused = ({ stop, message }: Step, back: number): boolean =>
    stop.reason === 'pause' && messages.at(-1 - back) === message;
  const count = [...steps].reverse().findIndex((step, back) => !isPaused(step, back));
  return count < 0 ? steps : steps.slice(steps.length - count);
}

/** The headers of a caller and those that a request needs. Lists in headers of one name are joined. */
function joinHeaders(
  given: Readonly<Record<string, string>> = {},
  ...more: readonly Readonly<Record<string, string>>[]
): Readonly<Record<string, string>> {
  const all = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [name, value] of more.flatMap(Object.entries<string>)) {
    const items = [...(all[name]?.split(',') ?? []), ...value.split(',')].map((item) => item.trim());
    all[name] = [...new Set(items)].join();
  }
  return all;
}

/** The step of a request; undefined when nothing arrived. `onUnknown` receives the reason why there is no price. */
function toStep(
  { reply, failure, requestId, startedAt, durationMs, firstEventMs }: SendResult,
  { written: { manifest, losses }, sent }: QuestionRequest,
  { provider, model }: Target,
  messages: readonly Message[],
  { system, costOf }: RunOptions,
  onUnknown: (reason: string) => void,
): Step | undefined {
  if (!reply) return undefined;
  const { message } = reply;
  const estimated = failure !== undefined && message.origin.cut === true;
  const usage = estimated ? estimateUsage(message, reply.usage, () => estimateInput(messages, system)) : reply.usage;
  return {
    ...{ provider: provider.id, model, manifest, losses },
    ...reply,
    ...{ usage, estimated, cost: usage && costOf && price(usage) },
    ...{ requestId, startedAt, durationMs, firstEventMs },
    ...(sent && { sent: sent.manifest }),
  };

  function price(spent: Usage): number | undefined {
    const { total, reason } = costOf!(spent, provider.id, model, new Date(startedAt));
    if (total === undefined) onUnknown(reason ?? 'no price is listed');
    return total;
  }
}
