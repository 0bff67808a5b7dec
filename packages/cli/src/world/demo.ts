import { hasKey, type ProviderDescriptor } from '@skein/core';
import type { Emulator } from '@skein/emulator';

/** Which of the providers can be asked with what the environment holds. */
export function withKeys(
  providers: readonly ProviderDescriptor[],
  env: NodeJS.ProcessEnv,
): readonly ProviderDescriptor[] {
  return providers.filter((one) => one.connection?.needsKey !== false && hasKey(one, { env }));
}

/** The emulator in this process, and an environment in which every provider is it. */
export async function startDemo(env: NodeJS.ProcessEnv): Promise<{ emulator: Emulator; env: NodeJS.ProcessEnv }> {
  // It is large, and whoever has a key does without it.
  const { startEmulator } = await import('@skein/emulator');
  const emulator = await startEmulator({ brain: 'demo', seed: 'skein-demo' });
  return { emulator, env: { ...env, ...emulator.env() } };
}

/** The model that answers in demo mode when none is named. */
export const DEMO_MODEL = 'anthropic/claude-sonnet-4-5';
