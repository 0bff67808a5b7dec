import type { Manifest, RequestParams, WrittenRequest } from '../dialects/index.ts';
import type { Message } from '../message/index.ts';
import type { RefusalMemory } from '../providers/index.ts';
import { type RunContext, type Target, targetName } from './context.ts';
import type { ModelLimits } from './options.ts';
import type { RequestDraft } from './output-schema.ts';
import { clampMaxTokens, estimateInput, joinSystem } from './tokens.ts';

/** A question to one model. */
export interface Question {
  readonly context: RunContext;
  readonly target: Target;
  readonly limits: ModelLimits;
  /** The messages to send, which need not be the stored ones. */
  readonly messages: readonly Message[];
  /** The model that was asked before, and why that failed. */
  readonly failed: FailedTarget | undefined;
}

export interface FailedTarget {
  readonly target: Target;
  readonly failure: unknown;
}

/** A question as a request. */
export interface QuestionRequest {
  readonly written: WrittenRequest;
  readonly params: RequestParams;
  /** The limit of tokens that was asked for, or is the dialect's default. */
  readonly wantedTokens: number | undefined;
}

/** Writes a question in the words of its model's dialect. */
export function writeQuestion(
  { context, target, messages, limits }: Question,
  refusals: RefusalMemory | undefined,
  unapproved: readonly string[],
  previous: Manifest | undefined,
): QuestionRequest {
  const { options, tools, output } = context;
  const { dialect, model, connection } = target;
  const { system, cache, strict, extraBody, stream = true } = options;
  const wantedTokens = options.params?.maxTokens ?? dialect.defaultMaxTokens?.(options.params ?? {}, target);
  const maxTokens = clampMaxTokens(
    wantedTokens,
    limits,
    messages.reduce((sum, { raw }) => sum + raw.length, 0) + joinSystem(system).length,
    () => estimateInput(messages, system),
  );
  const draft: RequestDraft = {
    tools: tools?.definitions(dialect.id) ?? [],
    params: { ...options.params, ...(maxTokens !== wantedTokens && { maxTokens: maxTokens! }), stream },
    extra: extraBody,
  };
  const { params, extra, tools: definitions } = output?.ask(target, draft) ?? draft;
  const written = dialect.writeRequest({
    model,
    messages,
    params,
    provider: refusals?.apply(target.provider, model) ?? target.provider,
    tools: definitions,
    unapproved,
    ...(system !== undefined && { system }),
    ...(extra !== undefined && { extra }),
    ...(connection.account !== undefined && { account: connection.account }),
    ...(strict !== undefined && { strict }),
    ...(cache !== undefined && { cache }),
    ...(previous !== undefined && { previous }),
  });
  return { written, params, wantedTokens };
}

/** Notes what differs in a request from what the caller wanted, and tells the observer. */
export function announceRequest(
  { context: { journal }, target, failed }: Question,
  { written, params, wantedTokens }: QuestionRequest,
  isFirst: boolean,
): void {
  const { body } = written;
  const losses = journal.newLosses(written.losses);
  if (failed && isFirst) {
    const reason = failed.failure instanceof Error ? failed.failure.message : String(failed.failure);
    const message = `${targetName(target)} is asked instead of ${targetName(failed.target)}: ${reason}`;
    journal.notice('fallback', message, losses);
  } else if (losses.length > 0)
    journal.notice('losses', `Not all is sent to ${targetName(target)} as it is (${losses.length})`, losses);
  if ((params.maxTokens ?? wantedTokens) !== wantedTokens)
    journal.notice('max-tokens', `There is no room for ${wantedTokens} tokens; the reply may have ${params.maxTokens}`);
  const { provider, model } = target;
  journal.observe({ type: 'request', step: journal.step, provider: provider.id, model, params, body });
}
