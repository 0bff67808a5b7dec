import { loadConfig } from '@skein/agents';
import { startEmulator } from '@skein/emulator';
import { createForest, memoryStore } from '@skein/forest';
import { createServer } from '@skein/server';

/** @import { Brain } from '@skein/emulator' */

/** A model of each protocol. */
export const MODELS = [
  'anthropic/claude-opus-5-5',
  'openai/gpt-5.5',
  'openai-chat/gpt-5.5',
  'google/gemini-3-pro-preview',
  'google-interactions/gemini-3.6-flash',
  'bedrock/us.anthropic.claude-opus-5-5',
  'cohere/command-a-reasoning-08-2025',
];

/**
 * A gateway with a forest in memory, and the strict emulator behind it.
 * @param {Brain} brain
 */
export async function startGateway(brain) {
  const emulator = await startEmulator({
    brain,
    seed: 'gateway',
    settings: { enforcePrefix: true },
    logLimit: 100_000,
  });
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const server = createServer({ forest: createForest(memoryStore()), config, env: emulator.env() });
  const { url } = await server.listen({ port: 0 });
  return { url, emulator };
}
