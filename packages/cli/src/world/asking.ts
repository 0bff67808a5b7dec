import { type Config, findProvider, titleModel } from '@skein/agents';
import {
  type CostOf,
  hasKey,
  isSkeinError,
  ModelRefError,
  type ProviderDescriptor,
  providers,
  selectModel,
} from '@skein/core';
import { createEngine, type Engine, type Forest, titleByModel } from '@skein/forest';
import { note, UsageError, warn } from '../output/output.ts';
import { DEMO_MODEL, startDemo, withKeys } from './demo.ts';

/** Where to ask: the variables with keys and addresses, and what has to end afterwards. */
export interface Asking {
  readonly env: NodeJS.ProcessEnv;
  /** The model in demo mode, for whoever names none. */
  readonly fallback: string | undefined;
  readonly isDemo: boolean;
  close(): Promise<void>;
}

/** What the demo answers costs nobody anything. */
export const freeOfCharge: CostOf = () => ({ total: 0 });

/** Without any key a stand-in answers; a model that needs none is asked for real. */
export function needsDemo(config: Config, needed: readonly ProviderDescriptor[]): boolean {
  const known = [...Object.values(config.providers), ...providers()];
  const needsNone = needed.length > 0 && needed.every(({ connection }) => connection?.needsKey === false);
  return !needsNone && withKeys(known, process.env).length === 0;
}

/** The provider of the configured model; none where there is no such model, or nobody knows its provider. */
export function providerOfModel(config: Config): readonly ProviderDescriptor[] {
  try {
    return config.model === undefined ? [] : [modelNamed(config.model, config).provider];
  } catch (error) {
    if (isSkeinError(error, 'usage')) return [];
    throw error;
  }
}

/** Where a stand-in answers, that is said. */
export async function openAsking(config: Config, needed: readonly ProviderDescriptor[]): Promise<Asking> {
  if (!needsDemo(config, needed))
    return { env: process.env, fallback: undefined, isDemo: false, close: async () => undefined };
  warn(
    'DEMO: no provider has a key, so a stand-in answers that understands nothing. Set ANTHROPIC_API_KEY or another.',
  );
  const { emulator, env } = await startDemo(process.env);
  return { env, fallback: DEMO_MODEL, isDemo: true, close: () => emulator.close() };
}

/** Grows the forest with what is asked there, and what that costs. */
export async function openEngine(forest: Forest, { env, isDemo }: Pick<Asking, 'env' | 'isDemo'>): Promise<Engine> {
  // The price list is large, and most commands do without it.
  const costOf = isDemo ? freeOfCharge : (await import('@skein/core/prices')).costOf;
  return createEngine(forest, { env, costOf });
}

export interface NamedModel {
  readonly provider: ProviderDescriptor;
  readonly model: string;
}

/** Where the configuration wants it, a model titles a conversation that has its first answer. Without one, its words are its title. */
export async function titleConversation(
  thread: string,
  { forest, config }: { readonly forest: Forest; readonly config: Config },
  engine: Engine,
  { env, isDemo }: Pick<Asking, 'env' | 'isDemo'>,
): Promise<void> {
  if (isDemo || config.titles !== 'model') return;
  const { costOf } = await import('@skein/core/prices');
  const model = titleModel(config, env, costOf);
  if (!model) return;
  await titleByModel(forest, engine, { thread, model }).catch((error: unknown) =>
    note(`The conversation keeps its first words as its title: ${error instanceof Error ? error.message : error}`),
  );
}

/** The model of a conversation's last request; none where no model has answered, or nobody knows its provider. */
export async function lastModel(forest: Forest, thread: string, at: string, config: Config) {
  const { provider, model } = (await createEngine(forest).lastRequest(thread, { at })) ?? {};
  if (provider === undefined || model === undefined) return undefined;
  try {
    return modelNamed(`${provider}/${model}`, config);
  } catch (error) {
    if (isSkeinError(error, 'usage')) return undefined;
    throw error;
  }
}

/** The model for whoever names none: that of the conversation so far where it can be asked, or the default. */
export function modelToGoOn(last: NamedModel | undefined, config: Config, asking: Asking): NamedModel {
  if (last && hasKey(last.provider, { env: asking.env })) return last;
  const chosen = defaultModel(config, asking);
  if (last) note(`There is no key for ${nameOfModel(last)}, which answered so far: ${nameOfModel(chosen)} answers.`);
  return chosen;
}

/** The model for whoever names none: the configured one, the demo's, or the first that there is a key for. */
function defaultModel(config: Config, { env, fallback }: Asking): NamedModel {
  const name = config.model ?? fallback;
  if (name !== undefined) return modelNamed(name, config);
  try {
    const { provider, model } = selectModel({ tools: true }, { env });
    return { provider, model };
  } catch (error) {
    if (!isSkeinError(error, 'no_model')) throw error;
    throw new UsageError('Say which model: --model provider/model, or "model" in skein.config.yaml.');
  }
}

/** As it is written: `provider/model`. */
export const nameOfModel = ({ provider, model }: NamedModel) => `${provider.id}/${model}`;

/** A model by its name, from the providers as they are configured. */
export function modelNamed(name: string, config: Config): NamedModel {
  const slash = name.indexOf('/');
  if (slash < 1 || slash === name.length - 1) throw new UsageError(new ModelRefError(name).message);
  try {
    return { provider: findProvider(name.slice(0, slash), config.providers), model: name.slice(slash + 1) };
  } catch (error) {
    throw isSkeinError(error, 'unknown_provider') ? new UsageError(error.message) : error;
  }
}
