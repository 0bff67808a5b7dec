import type { Manifest, RequestParams, WrittenRequest } from '../dialects/index.ts';
import type { Message } from '../message/index.ts';
import { isProviderError, type RefusalMemory } from '../providers/index.ts';
import type { Asking, OutputSpec } from './output/output-spec.ts';
import { type Sending, type Sent, send } from './send.ts';
import type { Target } from './targets.ts';
import { clampMaxTokens, estimateText, estimateTokens } from './tokens.ts';
import type { ToolSet } from './tools/tool-set.ts';
import type { ModelLimits, RunOptions } from './types.ts';

/** A question to one model. */
export interface Question {
  readonly target: Target;
  /** What is sent, which need not be what is stored. */
  readonly messages: readonly Message[];
  readonly tools: ToolSet;
  readonly output: OutputSpec | undefined;
  readonly options: RunOptions;
  readonly previous: Manifest | undefined;
  readonly limits: ModelLimits;
  readonly refusals: RefusalMemory;
  readonly sending: Pick<Sending, 'signal' | 'clock' | 'onEvent' | 'onFirstEvent' | 'onRetry'>;
  readonly onWritten: (written: WrittenRequest, params: RequestParams) => void;
  readonly onRefused: (fields: readonly string[]) => void;
}

export interface Asked extends Sent {
  readonly written: WrittenRequest;
  /** What was sent. */
  readonly messages: readonly Message[];
  /** The descriptor may have learnt of fields that are refused. */
  readonly target: Target;
}

/** How many times in one step a provider may refuse further fields: some name one at a time. */
const MAX_REFUSALS = 5;

/** Writes and sends; fields of the provider's own that it refuses by name are left out, and the rest is sent again. */
export async function ask(question: Question): Promise<Asked> {
  const { refusals, options, sending, messages } = question;
  let target = applied(question.target, refusals);
  let { written, params } = write(question, target, question.previous);
  for (let refused = 0; ; refused++) {
    question.onWritten(written, params);
    const stream = options.stream ?? true;
    const sent = await send({ ...sending, target, written, options, stream });
    const { failure } = sent;
    const fields = refused < MAX_REFUSALS ? await fieldsRefused(failure, written.body) : [];
    if (fields.length === 0) return { ...sent, written, messages, target };
    refusals.learn(target.provider, target.model, fields);
    target = applied(target, refusals);
    // What was sent before held the field: nothing of it is sent again as it was.
    const next = write(question, target, undefined);
    if (next.written.body === written.body) return { ...sent, written, messages, target };
    ({ written, params } = next);
    question.onRefused(fields);
  }
}

/** Those that an error refuses by name; what reads that is loaded with the first such error. */
async function fieldsRefused(failure: unknown, body: string): Promise<readonly string[]> {
  if (!isProviderError(failure) || !failure.status) return [];
  const { refusedFields } = await import('./read-refusal.ts');
  return refusedFields(failure.status, failure.rawBody ?? '', body);
}

function applied(target: Target, refusals: RefusalMemory): Target {
  const provider = refusals.apply(target.provider, target.model);
  return provider === target.provider ? target : { ...target, provider };
}

function write(
  { messages, tools, options, limits, output }: Question,
  target: Target,
  previous: Manifest | undefined,
): { written: WrittenRequest; params: RequestParams } {
  const { dialect, provider, model, connecting } = target;
  const { system, cache, strict, extraBody } = options;
  const maxTokens = clampMaxTokens(
    options.params?.maxTokens,
    limits,
    messages.reduce((sum, { raw }) => sum + raw.length, 0) + systemText(system).length,
    () => estimateInput(messages, system),
  );
  const plain: Asking = {
    tools: tools.definitions(dialect.id),
    params: {
      ...options.params,
      ...(maxTokens !== undefined && { maxTokens }),
      stream: options.stream ?? true,
    },
    extra: extraBody,
  };
  const { params, extra, tools: definitions } = output?.ask(target, plain) ?? plain;
  const written = dialect.writeRequest({
    model,
    messages,
    params,
    provider,
    tools: definitions,
    ...(system !== undefined && { system }),
    ...(extra !== undefined && { extra }),
    ...(connecting.account !== undefined && { account: connecting.account }),
    ...(strict !== undefined && { strict }),
    ...(cache !== undefined && { cache }),
    ...(previous !== undefined && { previous }),
  });
  return { written, params };
}

export function estimateInput(messages: readonly Message[], system: RunOptions['system']): number {
  return estimateTokens(messages) + estimateText(systemText(system));
}

export function systemText(system: RunOptions['system']): string {
  return typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('');
}
