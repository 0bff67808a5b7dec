/** What the tests of this package share: an emulator, a forest in memory, and a server on them. */
import { loadConfig } from '@skein/agents';
import { type Emulator, startEmulator } from '@skein/emulator';
import { createForest, type Forest, memoryStore } from '@skein/forest';
import { createServer, type ListeningServer, type ServerOptions } from '@skein/server';
import { onTestFinished } from 'vitest';

export interface World {
  readonly emulator: Emulator;
  readonly forest: Forest;
  readonly server: ListeningServer;
  /** Asks the API and gives status and body. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked at by the tests, field by field
  readonly body: any;
}

export async function startWorld(options: Partial<ServerOptions> = {}, port = 0): Promise<World> {
  const emulator = await startEmulator({ seed: 'test', sleep: async () => {} });
  onTestFinished(() => emulator.close());
  const forest = options.forest ?? createForest(memoryStore());
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const env = emulator.env();
  const made = createServer({ forest, config, env, generate: { random: () => 0 }, ...options });
  const server = await made.listen({ port });
  onTestFinished(() => server.close());
  return {
    emulator,
    forest,
    server,
    async api(method, path, body, headers = {}) {
      const response = await fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },
  };
}

export const question = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
