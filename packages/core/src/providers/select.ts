import { SkeinError } from '../error.ts';
import { hasKey } from './endpoint.ts';
import { type Environment, environment } from './environment.ts';
import { type ModelRef, parseModel } from './model-ref.ts';
import { CANDIDATES } from './models/candidates.ts';
import { type Modality, type ModelInfo, modelInfo } from './models/model-info.ts';
import { provider } from './registry.ts';

/** What is asked of a model. Preferences are followed where they can be; the rest must hold. */
export interface Wish {
  readonly preferredProvider?: string;
  /** `provider/model`, or a model of the preferred provider. */
  readonly preferredModel?: string;
  readonly input?: readonly Modality[];
  readonly output?: readonly Modality[];
  readonly tools?: boolean;
  readonly reasoning?: boolean;
}

/** A model that could be chosen: what it lacks of the wish, and whether there is a key for it. */
export interface Candidate extends ModelRef {
  readonly info: ModelInfo;
  readonly lacks: readonly string[];
  readonly hasKey: boolean;
  readonly preferred: boolean;
}

/** Chooses one of the candidates, which come in the order of preference; undefined when none will do. */
export type SelectionStrategy = (candidates: readonly Candidate[], wish: Wish) => Candidate | undefined;

export interface SelectOptions {
  readonly env?: Environment;
  /** `provider/model` strings to choose from, best first. */
  readonly models?: readonly string[];
  readonly strategy?: SelectionStrategy;
  /** Providers for which a key will be given, whatever the environment says. */
  readonly keysFor?: readonly string[];
}

/** The first that has a key and lacks nothing. */
export const firstThatFits: SelectionStrategy = (candidates) =>
  candidates.find((candidate) => candidate.hasKey && candidate.lacks.length === 0);

/** Picks a provider and a model from what is asked and which keys exist. */
export function selectModel(wish: Wish = {}, options: SelectOptions = {}): Candidate {
  const { env = environment(), models = CANDIDATES, strategy = firstThatFits, keysFor = [] } = options;
  const preferred = preferredModel(wish);
  const refs = [...(preferred ? [preferred] : []), ...models.map(parseModel)];
  const candidates = refs
    .map((ref): Candidate => {
      const info = modelInfo(ref.provider, ref.model);
      return {
        ...ref,
        info,
        // Who names a model that we do not know may know it.
        lacks: ref === preferred && !info.known ? [] : lacking(info, wish),
        hasKey: keysFor.includes(ref.provider.id) || hasKey(ref.provider, { env }),
        preferred: ref === preferred || ref.provider.id === preferredProvider(wish),
      };
    })
    .sort((a, b) => Number(b.preferred) - Number(a.preferred));
  const chosen = strategy(candidates, wish);
  if (!chosen) throw new NoModelError(candidates);
  return chosen;
}

function preferredProvider({ preferredProvider }: Wish): string | undefined {
  return preferredProvider === undefined ? undefined : provider(preferredProvider).id;
}

function preferredModel({ preferredProvider, preferredModel }: Wish): ModelRef | undefined {
  if (preferredModel === undefined) return undefined;
  return preferredProvider === undefined
    ? parseModel(preferredModel)
    : { provider: provider(preferredProvider), model: preferredModel.replace(`${preferredProvider}/`, '') };
}

/** What a model does not have of what is asked; of what is not known, that too. */
function lacking(info: ModelInfo, wish: Wish): readonly string[] {
  return [
    ...(wish.input ?? []).filter((modality) => !info.input.includes(modality)).map((modality) => `${modality} input`),
    ...(wish.output ?? ['text'])
      .filter((modality) => !info.output.includes(modality))
      .map((modality) => `${modality} output`),
    ...(wish.tools && !info.tools ? ['tools'] : []),
    ...(wish.reasoning && !info.reasoning ? ['reasoning'] : []),
  ];
}

export class NoModelError extends SkeinError {
  override readonly name = 'NoModelError';
  readonly code = 'no_model';
  /** What no model with a key can do, though it is asked for; empty when only a key is missing. */
  readonly missing: readonly string[];
  /** Models that could do it all, if there was a key. */
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

/** What the model that comes closest lacks. */
function leastLacking(candidates: readonly Candidate[]): readonly string[] {
  const [closest] = [...candidates].sort((a, b) => a.lacks.length - b.lacks.length);
  return closest?.lacks ?? [];
}
