/** Servers with a gateway on one store, and the strict emulator behind them. */
import { loadConfig } from '@skein/agents';
import { type Brain, type Emulator, echoBrain, type Protocol, startEmulator } from '@skein/emulator';
import { createForest, memoryStore } from '@skein/forest';
import { createServer, type ListeningServer } from '@skein/server';
import type { ReportedLoss } from './differ.ts';

/** A provider behind the gateway, by the protocol that it speaks. */
export interface Upstream {
  readonly model: string;
  readonly protocol: Protocol;
}

export const UPSTREAMS: readonly Upstream[] = [
  { model: 'anthropic/claude-opus-5-5', protocol: 'anthropic-messages' },
  { model: 'openai/gpt-5.5', protocol: 'openai-responses' },
  { model: 'openai-chat/gpt-5.5', protocol: 'openai-chat' },
  { model: 'google/gemini-3-pro-preview', protocol: 'google-generatecontent' },
  { model: 'google-interactions/gemini-3.6-flash', protocol: 'google-interactions' },
  { model: 'bedrock/us.anthropic.claude-opus-5-5', protocol: 'bedrock-converse' },
  { model: 'cohere/command-a-reasoning-08-2025', protocol: 'cohere-chat' },
];

export interface World {
  readonly emulator: Emulator;
  /** What the provider answers from now on, whoever it is. */
  brain: Brain;
  /** The servers that run now; any of them may be asked. */
  readonly servers: readonly ListeningServer[];
  /** Ends a server and starts another one in its place, on the same store. */
  restart(index: number): Promise<void>;
  /** What the gateway says that an exchange lost. */
  losses(exchange: string): Promise<readonly ReportedLoss[]>;
  close(): Promise<void>;
}

export async function startWorld(seed: string): Promise<World> {
  const emulator = await startEmulator({
    seed,
    sleep: async () => {},
    settings: { enforcePrefix: true },
    logLimit: 10,
    brain: (request) => world.brain(request),
  });
  const store = memoryStore();
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const start = () => {
    const forest = createForest(store);
    return createServer({ forest, config, env: emulator.env(), generate: { random: () => 0 } }).listen({ port: 0 });
  };
  const servers = [await start(), await start()];
  const reader = createForest(store);
  const world: World = {
    emulator,
    brain: echoBrain,
    servers,
    async restart(index) {
      await servers[index]!.close();
      servers[index] = await start();
    },
    async losses(exchange) {
      const found = await reader.store.entry('exchange', exchange);
      const { upstream } = (found?.data ?? {}) as { upstream?: { losses?: readonly ReportedLoss[] } };
      return upstream?.losses ?? [];
    },
    async close() {
      for (const server of servers) await server.close();
      await emulator.close();
    },
  };
  return world;
}
