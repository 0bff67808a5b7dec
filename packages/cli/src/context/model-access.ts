import {
  type Agent,
  type Config,
  type ConfigProblem,
  describeProblem,
  findProvider,
  type LoadedAgents,
  titleModel,
} from '@skein/agents';
import {
  type CostLookup,
  currentModels,
  hasKey,
  isSkeinError,
  ModelRefError,
  type ProviderDescriptor,
  providers,
  selectModel,
} from '@skein/core';
import type { Emulator } from '@skein/emulator';
import { createEngine, type Engine, type Forest, titleByModel } from '@skein/forest';
import { CommandError, note, UsageError, warn } from '../output/output.ts';
import { keyEnvironment } from './keys.ts';
import { resolveAlias } from './user-files.ts';

/** The environment for requests to models: variables with keys and addresses. It must be closed. */
export interface ModelAccess {
  readonly env: NodeJS.ProcessEnv;
  /** The default model in demo mode. */
  readonly fallback: string | undefined;
  readonly isDemo: boolean;
  close(): Promise<void>;
}

/** Answers of the demo are free. */
export const freeOfCharge: CostLookup = () => ({ total: 0 });

/** Whether a stand-in answers: if there is no key, and the model needs one. */
export function needsDemo(config: Config, needed: readonly ProviderDescriptor[]): boolean {
  const known = [...Object.values(config.providers), ...providers()];
  const needsNone = needed.length > 0 && needed.every(({ connection }) => connection?.needsKey === false);
  return !needsNone && withKeys(known, keyEnvironment(config)).length === 0;
}

/** The provider of the configured model; empty if no model is configured or its provider is not known. */
export function configuredProvider(config: Config): readonly ProviderDescriptor[] {
  try {
    return config.model === undefined ? [] : [findModel(config.model, config).provider];
  } catch (error) {
    if (isSkeinError(error, 'usage')) return [];
    throw error;
  }
}

/** Warns if the demo will answer. For a provider that only the configuration defines, the demo has no key. */
export async function openModelAccess(config: Config, needed: readonly ProviderDescriptor[]): Promise<ModelAccess> {
  if (!needsDemo(config, needed))
    return { env: keyEnvironment(config), fallback: undefined, isDemo: false, close: async () => undefined };
  const { emulator, env } = await startDemo(process.env);
  if (needed.length === 0 || needed.some((one) => hasKey(one, { env }))) warnOfDemo();
  return { env, fallback: DEMO_MODEL, isDemo: true, close: () => emulator.close() };
}

function warnOfDemo(): void {
  warn(
    'DEMO: no provider has a key, so a stand-in answers that understands nothing. "skein keys set anthropic" stores one, or set ANTHROPIC_API_KEY or another.',
  );
}

/** Creates an engine that also stores the cost of each reply. */
export async function openEngine(
  forest: Forest,
  { env, isDemo }: Pick<ModelAccess, 'env' | 'isDemo'>,
): Promise<Engine> {
  return createEngine(forest, { env, costOf: await priceLookup({ isDemo }) });
}

/** What answers cost. The price list is large, and most commands do not need it. */
export async function priceLookup({ isDemo }: Pick<ModelAccess, 'isDemo'>): Promise<CostLookup> {
  return isDemo ? freeOfCharge : (await import('@skein/core/prices')).costOf;
}

export interface NamedModel {
  readonly provider: ProviderDescriptor;
  readonly model: string;
}

/** Lets a model write the title of a conversation with a first answer, if the configuration says so. */
export async function titleConversation(
  thread: string,
  { forest, config }: { readonly forest: Forest; readonly config: Config },
  engine: Engine,
  { env, isDemo }: Pick<ModelAccess, 'env' | 'isDemo'>,
): Promise<void> {
  if (isDemo || config.titles !== 'model') return;
  const { costOf } = await import('@skein/core/prices');
  const model = titleModel(config, env, costOf);
  if (!model) return;
  await titleByModel(forest, engine, { thread, model }).catch((error: unknown) =>
    note(`The conversation keeps its first words as its title: ${error instanceof Error ? error.message : error}`),
  );
}

/** The model of a conversation's last request; undefined if no model has answered or its provider is not known. */
export async function lastModel(forest: Forest, thread: string, at: string, config: Config) {
  const { provider, model } = (await createEngine(forest).lastRequest(thread, { at })) ?? {};
  if (provider === undefined || model === undefined) return undefined;
  try {
    return findModel(`${provider}/${model}`, config);
  } catch (error) {
    if (isSkeinError(error, 'usage')) return undefined;
    throw error;
  }
}

/** The model that continues a conversation: the last one if it has a key, otherwise the default. */
export function continuingModel(last: NamedModel | undefined, config: Config, access: ModelAccess): NamedModel {
  if (last && hasKey(last.provider, { env: access.env })) return last;
  const chosen = defaultModel(config, access);
  if (last) {
    note(`There is no key for ${modelName(last)}, which answered so far: ${modelName(chosen)} answers.`);
    if (access.isDemo && hasKey(chosen.provider, { env: access.env })) warnOfDemo();
  }
  return chosen;
}

/** The default model: the configured one, that of the demo, or the first one with a key. */
function defaultModel(config: Config, { env, fallback }: ModelAccess): NamedModel {
  const name = config.model ?? fallback;
  if (name !== undefined) return findModel(name, config);
  try {
    const { provider, model } = selectModel({ tools: true }, { env });
    return { provider, model };
  } catch (error) {
    if (!isSkeinError(error, 'no_model')) throw error;
    throw new UsageError('Say which model: --model provider/model, or "model" in skein.config.yaml.');
  }
}

/** The name as people write it: `provider/model`. */
export const modelName = ({ provider, model }: NamedModel) => `${provider.id}/${model}`;

/** Finds a model by its name or alias, with its provider as configured. */
export function findModel(given: string, config: Config): NamedModel {
  const name = resolveAlias(given);
  const slash = name.indexOf('/');
  if (slash < 1 || slash === name.length - 1)
    throw new UsageError(`${new ModelRefError(name).message} "skein aliases set" gives a model a short name.`);
  try {
    return { provider: findProvider(name.slice(0, slash), config.providers), model: name.slice(slash + 1) };
  } catch (error) {
    throw isSkeinError(error, 'unknown_provider') ? new UsageError(error.message) : error;
  }
}

/** The providers that have a key in an environment. */
export function withKeys(
  providers: readonly ProviderDescriptor[],
  env: NodeJS.ProcessEnv,
): readonly ProviderDescriptor[] {
  return providers.filter((one) => one.connection?.needsKey !== false && hasKey(one, { env }));
}

/** Starts the emulator in this process, and makes an environment in which it stands in for every provider. */
export async function startDemo(env: NodeJS.ProcessEnv): Promise<{ emulator: Emulator; env: NodeJS.ProcessEnv }> {
  // The emulator is large, and is needed only without a key.
  const { startEmulator } = await import('@skein/emulator');
  const emulator = await startEmulator({ brain: 'demo', seed: 'skein-demo' });
  return { emulator, env: { ...env, ...emulator.env() } };
}

/** The model that answers in demo mode when none is named. */
export const DEMO_MODEL: string = currentModels.anthropic;

/** Finds an agent by its name or by the name of its file. */
export function findAgent(name: string, loaded: LoadedAgents, folder: string, hint = ''): Agent {
  const found = loaded.find(name);
  if (found) return found;
  for (const problem of agentProblems(loaded)) warn(describeProblem(problem));
  const names = loaded.agents.map(({ id }) => id).join(', ') || 'none';
  throw new CommandError('unknown_agent', `There is no agent "${name}" in ${folder}. There is: ${names}.${hint}`);
}

/** The problems in agent files. A missing folder is not a problem, because agents are optional. */
export function agentProblems({ problems }: LoadedAgents): readonly ConfigProblem[] {
  return problems.filter(({ code, severity }) => code !== 'unreadable' || severity === 'error');
}
