import type { ImageFormat, Manifest } from '../../dialects/index.ts';
import { type Modality, parseModel, realClock } from '../../providers/index.ts';
import type { ModelChoice, RunOptions, RunResult } from '../../run/index.ts';
import { totalTokens } from '../../run/tokens.ts';
import type { MessageList } from '../message-list.ts';
import { chooseModel } from './choose-model.ts';
import type { ConversationConfig } from './config.ts';
import { imageFormat } from './images.ts';

/** What one turn asks beside what the conversation is configured for. */
export interface Asking {
  readonly output?: RunOptions['output'];
  /** Whether an image is wanted. */
  readonly image?: boolean;
}

/** What a turn has done so far. */
export interface SoFar {
  readonly startedAt: number;
  readonly result: RunResult;
  /** Models that could not answer; they are not asked again in this turn. */
  readonly failed: number;
}

/** The options of a turn's next step: one request, within what is left of the turn's limits. */
export function stepOptions(
  config: ConversationConfig,
  { messages, manifest }: { readonly messages: MessageList; readonly manifest: Manifest | undefined },
  asking: Asking,
  { startedAt, result, failed }: SoFar,
): Omit<RunOptions, 'messages'> {
  const { provider: _, select: __, limits = {}, compaction, stopWhen: ___, ...rest } = config;
  const { clock = realClock } = config;
  const output: readonly Modality[] | undefined = asking.image ? ['image'] : undefined;
  const model = chooseModel(config, messages, output);
  const way: ImageFormat = asking.image ? imageFormat(model) : {};
  const isCompacting = !result.notices.some(({ code }) => code === 'compaction-failed');
  return {
    ...rest,
    ...withoutFailed({ ...rest, model }, failed),
    tools: [...(rest.tools ?? []), ...(way.tools ?? [])],
    ...(way.body && typeof rest.extraBody !== 'string' && { extraBody: { ...way.body, ...rest.extraBody } }),
    output: asking.output,
    compaction: isCompacting ? compaction : undefined,
    previous: manifest ?? messages.manifest,
    checkpoints: messages.checkpoints,
    limits: {
      steps: Math.min(1, stepsLeft(limits, result)),
      tokens: left(limits.tokens, totalTokens(result.usage)),
      cost: left(limits.cost, result.cost ?? result.steps.reduce((sum, { cost = 0 }) => sum + cost, 0)),
      seconds: left(limits.seconds, (clock.now() - startedAt) / 1000),
    },
  };
}

const STEPS = 10;

/** How many requests a turn may still send. */
export function stepsLeft({ steps = STEPS }: NonNullable<RunOptions['limits']>, { steps: done }: RunResult): number {
  return steps - done.length;
}

function left(limit: number | undefined, spent: number): number | undefined {
  return limit === undefined ? undefined : Math.max(limit - spent, 0);
}

type Asked = Pick<RunOptions, 'model' | 'fallback' | 'apiKey' | 'baseUrl' | 'account' | 'extraHeaders'>;

/** The first model that has not failed in this turn. What belongs to the first one's provider stays with it. */
function withoutFailed(options: Asked, failed: number): Asked {
  const choices: readonly ModelChoice[] = [options.model, ...(options.fallback ?? [])];
  const model = choices[failed];
  if (failed === 0 || !model) return { model: options.model };
  const next = { model, fallback: choices.slice(failed + 1) };
  if (providerOf(model) === providerOf(options.model)) return next;
  return { ...next, apiKey: undefined, baseUrl: undefined, account: undefined, extraHeaders: undefined };
}

function providerOf(choice: ModelChoice): string {
  return typeof choice === 'string' ? parseModel(choice).provider.id : choice.provider.id;
}
