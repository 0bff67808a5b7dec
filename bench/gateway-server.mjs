// A server with a forest in memory: its recording proxy and its gateway, before a provider that is named by its address.
import { loadConfig } from '@skein/agents';
import { createForest, memoryStore } from '@skein/forest';
import { createServer } from '@skein/server';

const [, , upstream] = process.argv;
const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
const env = {
  ...{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${upstream}/v1` },
  ...{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: upstream },
};
const server = await createServer({ forest: createForest(memoryStore()), config, env }).listen({ port: 0 });
console.log(server.url);
