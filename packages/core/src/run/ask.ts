import type { Manifest, RequestParams, WrittenRequest } from '../dialects/index.ts';
import type { Message } from '../message/index.ts';
import type { RefusalMemory } from '../providers/index.ts';
import { ProviderError } from '../providers/transport/provider-error.ts';
import type { Asking } from './output/output-spec.ts';
import type { Running } from './running.ts';
import { type Sent, send } from './send.ts';
import { nameOf, type Target } from './targets.ts';
import { clampMaxTokens, estimateInput, systemText } from './tokens.ts';
import type { ModelLimits } from './types.ts';

/** A question to one model. */
export interface Question {
  readonly running: Running;
  readonly target: Target;
  readonly limits: ModelLimits;
  /** What is sent, which need not be what is stored. */
  readonly messages: readonly Message[];
  /** Who was asked before it, and why that came to nothing. */
  readonly failed: Failed | undefined;
}

export interface Failed {
  readonly target: Target;
  readonly failure: unknown;
}

export interface Asked extends Sent {
  readonly written: WrittenRequest;
  /** What was sent. */
  readonly messages: readonly Message[];
  readonly target: Target;
}

/** How many times in one step a provider may refuse further fields: some name one at a time. */
const MAX_REFUSALS = 5;

/** What providers refused is learnt once for all runs. */
let remembered: RefusalMemory | undefined;

/** Writes and sends; fields of the provider's own that it refuses by name are left out, and the rest is sent again. */
export async function ask(question: Question): Promise<Asked> {
  const { running, target, messages } = question;
  const { journal, options } = running;
  const unapproved = await findUnapproved(messages, running);
  let asked: Asked | undefined;
  let fields: readonly string[] = [];
  for (let refused = 0; ; refused++) {
    // What was sent before held the field: nothing of it is sent again as it was.
    const { written, params, wanted } = write(question, unapproved, asked ? undefined : journal.manifest);
    if (written.body === asked?.written.body) return asked;
    if (asked) journal.notice('refused-field', `${nameOf(target)} refuses what it gave itself: ${fields.join(', ')}`);
    tellWritten(question, written, params, wanted, !asked);
    asked = { ...(await send(running, target, written)), written, messages, target };
    const { failure } = asked;
    if (refused === MAX_REFUSALS || !(failure instanceof ProviderError) || !failure.status) return asked;
    // Loaded on first use: few requests are refused.
    const { RefusalMemory, refusedFields } = await import('../providers/refused-fields.ts');
    fields = refusedFields(failure.status, failure.rawBody ?? '', written.body);
    if (fields.length === 0) return asked;
    remembered ??= new RefusalMemory();
    (options.refusals ?? remembered).learn(target.provider, target.model, fields);
  }
}

/** Calls that nobody answered while they waited for approval: what is sent in place of a result says so. */
async function findUnapproved(messages: readonly Message[], running: Running): Promise<readonly string[]> {
  const answered = new Set(messages.flatMap(({ facts }) => facts.results));
  const isOpen = messages.some(({ facts }) => facts.calls.some(({ id }) => !answered.has(id)));
  return isOpen && running.tools ? (await import('./tools/use-tools.ts')).unapprovedCalls(messages, running) : [];
}

function write(
  { running, target, messages, limits }: Question,
  unapproved: readonly string[],
  previous: Manifest | undefined,
): { written: WrittenRequest; params: RequestParams; wanted: number | undefined } {
  const { options, tools, output } = running;
  const { dialect, model, connecting } = target;
  const { system, cache, strict, extraBody, stream = true, refusals = remembered } = options;
  const wanted = options.params?.maxTokens ?? dialect.defaultMaxTokens?.(options.params ?? {}, target);
  const maxTokens = clampMaxTokens(
    wanted,
    limits,
    messages.reduce((sum, { raw }) => sum + raw.length, 0) + systemText(system).length,
    () => estimateInput(messages, system),
  );
  const plain: Asking = {
    tools: tools?.definitions(dialect.id) ?? [],
    params: { ...options.params, ...(maxTokens !== wanted && { maxTokens: maxTokens! }), stream },
    extra: extraBody,
  };
  const { params, extra, tools: definitions } = output?.ask(target, plain) ?? plain;
  const written = dialect.writeRequest({
    model,
    messages,
    params,
    provider: refusals?.apply(target.provider, model) ?? target.provider,
    tools: definitions,
    unapproved,
    ...(system !== undefined && { system }),
    ...(extra !== undefined && { extra }),
    ...(connecting.account !== undefined && { account: connecting.account }),
    ...(strict !== undefined && { strict }),
    ...(cache !== undefined && { cache }),
    ...(previous !== undefined && { previous }),
  });
  return { written, params, wanted };
}

function tellWritten(
  { running: { journal }, target, failed }: Question,
  { losses: all, body }: WrittenRequest,
  params: RequestParams,
  wanted: number | undefined,
  isFirst: boolean,
): void {
  const losses = journal.newLosses(all);
  if (failed && isFirst) {
    const why = failed.failure instanceof Error ? failed.failure.message : String(failed.failure);
    journal.notice('fallback', `${nameOf(target)} is asked instead of ${nameOf(failed.target)}: ${why}`, losses);
  } else if (losses.length > 0)
    journal.notice('losses', `Not all is sent to ${nameOf(target)} as it is (${losses.length})`, losses);
  if ((params.maxTokens ?? wanted) !== wanted)
    journal.notice('max-tokens', `There is no room for ${wanted} tokens; the reply may have ${params.maxTokens}`);
  const { provider, model } = target;
  journal.observe({ type: 'request', step: journal.step, provider: provider.id, model, params, body });
}
