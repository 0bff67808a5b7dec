import { type Agent, type Config, type ConfigProblem, findProvider, presetParams } from '@skein/agents';
import {
  type Environment,
  hasKey,
  isSkeinError,
  type ProviderDescriptor,
  type SelectionStrategy,
  selectModel,
  type Tool,
} from '@skein/core';
import {
  continueTools,
  type Engine,
  type Forest,
  type GenerateOptions,
  type GenerationState,
  type RecordingBacklog,
  type ResumeOptions,
} from '@skein/forest';
import type { Log, Metrics, RecordingTrouble } from './http/observability.ts';
import { Problem } from './http/problem.ts';
import type { Redactor } from './redact.ts';

/** Everything that the routes use. */
export interface Services {
  readonly forest: Forest;
  readonly engine: Engine;
  readonly config: Config;
  /** The variables with keys and addresses, including those of the demo. */
  readonly env: Environment;
  /** The same variables without those of the demo. */
  readonly ownEnv: Environment;
  readonly agents: () => Promise<readonly Agent[]>;
  readonly tools: readonly Tool[];
  readonly providers: readonly ProviderDescriptor[];
  readonly generating: GenerationResolver;
  readonly redact: Redactor;
  /** Whether `redact` hides anything. */
  readonly isRedacting: boolean;
  /** The price list, where there is one. */
  readonly costOf: GenerateOptions['costOf'];
  readonly log: Log;
  readonly metrics: Metrics;
  /** Where recordings wait while the store cannot be written. */
  readonly backlog: RecordingBacklog;
  readonly recordingTrouble: RecordingTrouble;
  /** Tells of an exchange that could not be recorded. */
  readonly onRecordingLost: (error: unknown) => void;
  /** Aborted when the server is told to close. */
  readonly closing: AbortSignal;
  /** Addresses and keys of the stand-in that answers where no provider has a key. */
  readonly demo: Environment | undefined;
  /** Whether `/samples` serves sample conversations. */
  readonly hasSamples: boolean;
  /**
   * The model of requests that name none: the one that was chosen on the page, the configured one, that of the demo, or the usual
   * one of a provider with a key.
   */
  readonly defaultModel: () => Promise<string | undefined>;
  readonly version: string;
  /** What is wrong in files that the server was set up from. */
  readonly problems: readonly ConfigProblem[];
}

/** Turns what a client asks for, by names of models, agents and tools, into options of the engine. */
interface GenerationResolver {
  /** With `goesOn`, options that the request does not give are those of the conversation's last request. */
  options(wish: GenerationRequest, goesOn?: { readonly thread: string; readonly at: string }): Promise<GenerateOptions>;
  /** The model of a request that names none: the one that answered last if it has a key, otherwise the default. */
  nextModel(last?: { readonly provider?: string; readonly model?: string }): Promise<string | undefined>;
  again(state: GenerationState, model: string | undefined): Promise<ResumeOptions>;
}

interface GenerationRequest {
  readonly model?: string;
  readonly agent?: string;
  readonly tools?: readonly string[];
  /** Checked by the route's schema. */
  readonly params?: object;
}

interface ResolverParts {
  readonly agents: () => Promise<readonly Agent[]>;
  readonly tools: readonly Tool[];
  /** For whoever names no model. */
  readonly defaultModel: () => Promise<string | undefined>;
  readonly engine: Pick<Engine, 'lastRequest'>;
  /** Where the keys of real providers are. */
  readonly env: Environment;
}

/** The first of the usual models whose provider has a key, or that of one provider; undefined if there is none. */
export function usualModel(env: Environment, of?: string): string | undefined {
  try {
    const strategy: SelectionStrategy = (candidates) =>
      candidates.find(({ hasKey: isReady, lacks, provider }) =>
        of === undefined ? isReady && lacks.length === 0 : provider.id === of,
      );
    const { provider, model } = selectModel({ tools: true }, { env, strategy });
    return `${provider.id}/${model}`;
  } catch (error) {
    if (isSkeinError(error, 'no_model')) return undefined;
    throw error;
  }
}

/** Only what the server was set up with can be asked for: its providers at their addresses, its agents, its tools. */
export function createGenerationResolver(
  config: Config,
  { agents, tools, defaultModel, engine, env }: ResolverParts,
): GenerationResolver {
  const modelOf = (name: string): GenerateOptions['model'] => {
    const [id = '', ...rest] = name.split('/');
    const model = rest.join('/');
    if (model === '')
      throw new Problem(
        'bad_model',
        `"${name}" is not a model: write it as provider/model, such as anthropic/claude-sonnet-5.`,
      );
    return { provider: findProvider(id, config.providers), model };
  };

  const nextModel: GenerationResolver['nextModel'] = async ({ provider, model } = {}) =>
    provider !== undefined && model !== undefined && canAsk(provider) ? `${provider}/${model}` : defaultModel();

  const canAsk = (provider: string): boolean => {
    try {
      return hasKey(findProvider(provider, config.providers), { env });
    } catch (error) {
      if (isSkeinError(error, 'unknown_provider')) return false;
      throw error;
    }
  };

  const toolNamed = (name: string, known: readonly Tool[]): Tool => {
    const found = known.find((tool) => tool.name === name);
    if (found) return found;
    const all = known.map((tool) => tool.name).join(', ') || 'none';
    throw new Problem('unknown_tool', `There is no tool "${name}" on this server. It has: ${all}.`);
  };

  const options: GenerationResolver['options'] = async ({ model, agent, tools: wanted, params }, goesOn) => {
    const chosen = agent === undefined ? undefined : await agentNamed(agent);
    const from = chosen && (await chosen.options()).options;
    // An agent brings its own; otherwise a conversation that a model has answered goes on as that was asked.
    const last = goesOn && !from ? await engine.lastRequest(goesOn.thread, { at: goesOn.at }) : undefined;
    const name = model ?? (from ? undefined : await nextModel(last));
    if (name === undefined && !from)
      throw new Problem('bad_model', 'Say which model: provider/model, or set "model" in skein.config.yaml.');
    // An agent's parameters have the preset that counts for it.
    const n = from || config.preset === undefined ? undefined : config.presets[config.preset]?.n;
    const before = last ? continueTools(last.tools, tools).filter((tool) => 'execute' in tool) : [];
    const known = [...(from?.tools ?? []), ...tools, ...before];
    const named = wanted?.map((tool) => toolNamed(tool, known));
    return {
      ...(from && {
        limits: from.limits,
        fallback: from.fallback,
        ...(from.extraBody && { extraBody: from.extraBody }),
      }),
      model: name === undefined ? from!.model : modelOf(name),
      ...(last
        ? { available: tools, ...(params && { params }), ...(named && { tools: named }) }
        : {
            params: { ...(from ? from.params : presetParams(config)), ...params },
            tools: named ?? from?.tools ?? [],
          }),
      ...(chosen && { label: chosen.id }),
      ...(n !== undefined && { n }),
    } as GenerateOptions;
  };

  const agentNamed = async (name: string): Promise<Agent> => {
    const all = await agents();
    const found = all.find((agent) => agent.id === name || agent.name === name);
    if (found) return found;
    const names = all.map(({ id }) => id).join(', ') || 'none';
    throw new Problem('unknown_agent', `There is no agent "${name}". There is: ${names}.`);
  };

  return {
    options,
    nextModel,
    async again({ model, label, tools: used, params, thread }, other) {
      // Tools of a recorded program are those of the conversation's last request, whether they run here or not.
      const isRecorded =
        thread !== undefined && label === undefined && used.some((name) => !tools.some((one) => one.name === name));
      const wish = {
        model: other ?? model,
        ...(!isRecorded && { tools: used }),
        ...(params && { params }),
        ...(label !== undefined && { agent: label }),
      };
      const { n: _n, again: _again, tools: named, ...rest } = await options(wish);
      return { ...rest, ...(isRecorded ? { available: tools } : named && { tools: named }) };
    },
  };
}
