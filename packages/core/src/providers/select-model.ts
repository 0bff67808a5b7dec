import { SkeinError } from '../error.ts';
import { currentModels } from './current-models.ts';
import { type Modality, type ModelInfo, modelInfo } from './model-info.ts';
import { type Environment, environment, hasKey, type ModelRef, parseModel, provider } from './registry.ts';

/** What a model must be able to do. Preferences are followed where possible; the rest is required. */
export interface ModelRequirements {
  readonly preferredProvider?: string;
  /** `provider/model`, or a model of the preferred provider. */
  readonly preferredModel?: string;
  readonly input?: readonly Modality[];
  readonly output?: readonly Modality[];
  readonly tools?: boolean;
  readonly reasoning?: boolean;
}

/** A model that could be chosen: the requirements it does not meet, and whether there is a key for it. */
export interface Candidate extends ModelRef {
  readonly info: ModelInfo;
  readonly lacks: readonly string[];
  readonly hasKey: boolean;
  readonly preferred: boolean;
}

/** Chooses one of the candidates, which come in the order of preference; undefined when none fits. */
export type SelectionStrategy = (
  candidates: readonly Candidate[],
  requirements: ModelRequirements,
) => Candidate | undefined;

/** What `selectModel` chooses from, and how. */
export interface SelectOptions {
  readonly env?: Environment;
  /** `provider/model` strings to choose from, best first. */
  readonly models?: readonly string[];
  readonly strategy?: SelectionStrategy;
  /** Providers for which a key will be given, whatever the environment says. */
  readonly keysFor?: readonly string[];
}

/** Chooses the first candidate that has a key and meets all requirements. */
export const firstThatFits: SelectionStrategy = (candidates) =>
  candidates.find((candidate) => candidate.hasKey && candidate.lacks.length === 0);

/**
 * Picks a provider and a model by requirements and by the keys that exist. Throws a `NoModelError`.
 *
 * @example
 * const { provider, model } = selectModel({ input: ['image'], tools: true });
 */
export function selectModel(requirements: ModelRequirements = {}, options: SelectOptions = {}): Candidate {
  const { env = environment(), models = CANDIDATES, strategy = firstThatFits, keysFor = [] } = options;
  const preferred = preferredModel(requirements);
  const refs = [...(preferred ? [preferred] : []), ...models.map(parseModel)];
  const candidates = refs
    .map((ref): Candidate => {
      const info = modelInfo(ref.provider, ref.model);
      return {
        ...ref,
        info,
        // A caller who names a model that we do not know may know what it can do.
        lacks: ref === preferred && !info.known ? [] : lacking(info, requirements),
        hasKey: keysFor.includes(ref.provider.id) || hasKey(ref.provider, { env }),
        preferred: ref === preferred || ref.provider.id === preferredProvider(requirements),
      };
    })
    .sort((a, b) => Number(b.preferred) - Number(a.preferred));
  const chosen = strategy(candidates, requirements);
  if (!chosen) throw new NoModelError(candidates);
  return chosen;
}

function preferredProvider({ preferredProvider }: ModelRequirements): string | undefined {
  return preferredProvider === undefined ? undefined : provider(preferredProvider).id;
}

function preferredModel({ preferredProvider, preferredModel }: ModelRequirements): ModelRef | undefined {
  if (preferredModel === undefined) return undefined;
  return preferredProvider === undefined
    ? parseModel(preferredModel)
    : { provider: provider(preferredProvider), model: preferredModel.replace(`${preferredProvider}/`, '') };
}

/** The requirements that a model does not meet, or is not known to meet. */
function lacking(info: ModelInfo, requirements: ModelRequirements): readonly string[] {
  return [
    ...(requirements.input ?? [])
      .filter((modality) => !info.input.includes(modality))
      .map((modality) => `${modality} input`),
    ...(requirements.output ?? ['text'])
      .filter((modality) => !info.output.includes(modality))
      .map((modality) => `${modality} output`),
    ...(requirements.tools && !info.tools ? ['tools'] : []),
    ...(requirements.reasoning && !info.reasoning ? ['reasoning'] : []),
  ];
}

/** No model meets the requirements and has a key. */
export class NoModelError extends SkeinError {
  override readonly name = 'NoModelError';
  readonly code = 'no_model';
  /** The requirements that no model with a key meets; empty when only a key is missing. */
  readonly missing: readonly string[];
  /** Models that meet all requirements, but have no key. */
  readonly wouldDo: readonly string[];

  constructor(candidates: readonly Candidate[]) {
    const able = candidates.filter(({ lacks }) => lacks.length === 0);
    const wouldDo = able.map((candidate) => `${candidate.provider.id}/${candidate.model}`);
    const usable = candidates.filter((candidate) => candidate.hasKey);
    const missing = leastLacking(usable.length > 0 ? usable : able.length > 0 ? [] : candidates);
    super([problem(usable.length > 0, missing), advice(able)].join(' '));
    this.missing = missing;
    this.wouldDo = wouldDo;
  }
}

function problem(hasKeys: boolean, missing: readonly string[]): string {
  if (!hasKeys && missing.length === 0) return 'There is no key for any model.';
  const who = hasKeys ? 'No model with a key' : 'No known model';
  return missing.length > 0 ? `${who} has ${missing.join(' and ')}.` : `${who} was chosen.`;
}

function advice(able: readonly Candidate[]): string {
  if (able.length === 0) return 'Nothing in the list of models has all that is asked.';
  const ways = able.map(({ provider: { id, connection }, model }) => {
    const variables = connection?.keyVariables.join(' or ') ?? '';
    return `${id}/${model}${variables && ` (${variables})`}`;
  });
  return `It would work with ${ways.join(', ')}.`;
}

/** The requirements that the closest model does not meet. */
function leastLacking(candidates: readonly Candidate[]): readonly string[] {
  const [closest] = [...candidates].sort((a, b) => a.lacks.length - b.lacks.length);
  return closest?.lacks ?? [];
}

/** The models to choose from where the caller names none, best first. `models` replaces it: names age faster than libraries. */
const CANDIDATES: readonly string[] = [
  currentModels.anthropic,
  currentModels.openai,
  currentModels.google,
  currentModels.googleImage,
  'openai-chat/gpt-audio',
  'openrouter/anthropic/claude-sonnet-5',
  'xai/grok-4.3',
  'mistral/mistral-medium-latest',
  'deepseek/deepseek-v4-pro',
  'moonshot/kimi-k3',
  'zai/glm-5.3',
  'groq/openai/gpt-oss-120b',
  'cerebras/gpt-oss-120b',
  'together/meta-llama/Llama-3.3-70B-Instruct-Turbo',
  'fireworks/accounts/fireworks/models/kimi-k3',
];
