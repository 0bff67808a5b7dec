import { type Config, findProvider } from '@skein/agents';
import {
  ModelRefError,
  NoModelError,
  type ProviderDescriptor,
  providers,
  selectModel,
  UnknownProviderError,
} from '@skein/core';
import { UsageError, warn } from '../output/output.ts';
import { DEMO_MODEL, startDemo, withKeys } from './demo.ts';

/** Where to ask: the variables with keys and addresses, and what has to end afterwards. */
export interface Asking {
  readonly env: NodeJS.ProcessEnv;
  /** The model in demo mode, for whoever names none. */
  readonly fallback: string | undefined;
  close(): Promise<void>;
}

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
    if (error instanceof UsageError) return [];
    throw error;
  }
}

/** Where a stand-in answers, that is said. */
export async function openAsking(config: Config, needed: readonly ProviderDescriptor[]): Promise<Asking> {
  if (!needsDemo(config, needed)) return { env: process.env, fallback: undefined, close: async () => undefined };
  warn(
    'DEMO: no provider has a key, so a stand-in answers that understands nothing. Set ANTHROPIC_API_KEY or another.',
  );
  const { emulator, env } = await startDemo(process.env);
  return { env, fallback: DEMO_MODEL, close: () => emulator.close() };
}

export interface NamedModel {
  readonly provider: ProviderDescriptor;
  readonly model: string;
}

/** The model for whoever names none: the configured one, the demo's, or the first that there is a key for. */
export function defaultModel(config: Config, { env, fallback }: Asking): NamedModel {
  const name = config.model ?? fallback;
  if (name !== undefined) return modelNamed(name, config);
  try {
    const { provider, model } = selectModel({ tools: true }, { env });
    return { provider, model };
  } catch (error) {
    if (!(error instanceof NoModelError)) throw error;
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
    throw error instanceof UnknownProviderError ? new UsageError(error.message) : error;
  }
}
