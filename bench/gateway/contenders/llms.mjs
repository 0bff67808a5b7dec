// @musistudio/llms, the translator of claude-code-router.
import { createRequire } from 'node:module';
import { createServer } from 'node:net';

const [, , upstream] = process.argv;
const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = probe.address();
    probe.close(() => resolve(free));
  });
});
// Its module for `import` does not load.
const llms = createRequire(import.meta.url)('@musistudio/llms');
const Server = llms.default ?? llms;
const providers = [
  { name: 'chat', api_base_url: `${upstream}/v1/chat/completions`, api_key: 'k', models: ['m'] },
  {
    name: 'anthropic',
    api_base_url: `${upstream}/v1/messages`,
    api_key: 'k',
    models: ['m'],
    transformer: { use: ['Anthropic'] },
  },
];
const server = new Server({ initialConfig: { providers, HOST: '127.0.0.1', PORT: port }, logger: false });
await server.start();
console.log(`http://127.0.0.1:${port}`);
