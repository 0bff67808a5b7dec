import { loadConfig } from '@skein/agents';
import { createForest, memoryStore } from '@skein/forest';
import { createServer, type ListeningServer } from '@skein/server';
import fc from 'fast-check';
import { hold, type Target } from '../target.ts';

interface Asked {
  readonly operation: number;
  readonly ids: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('..', '%00', '__proto__', '-1', '1e999', 'root', '0'.repeat(40), 'a'.repeat(5000), '\ud800', ''),
);
const body = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.string({ maxLength: 50 }),
  fc.constantFrom(
    '{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}',
    '{"messages":[{}]}',
    '{"node":"root","title":"x"}',
    '{"onto":"root"}',
    '{"text":5}',
    '[',
    'null',
  ),
);
const NAMES = ['after', 'limit', 'q', 'node', 'below', 'since', 'a', 'b', 'format', 'raw', 'status', 'thread', 'x'];

let started: Promise<{ server: ListeningServer; operations: readonly { method: string; path: string }[] }> | undefined;
const errors: unknown[] = [];

/** Every route of the HTTP API: bad input is answered with a problem, never with a 500 or internals. */
export const targets: readonly Target[] = [
  {
    name: 'HTTP routes',
    input: fc
      .record({
        operation: fc.nat(10_000),
        ids: fc.array(hostile, { minLength: 3, maxLength: 3 }),
        query: fc.dictionary(fc.constantFrom(...NAMES), hostile, { maxKeys: 4 }),
        body,
      })
      .map((asked) => JSON.stringify(asked)),
    async run(text) {
      started ??= start();
      const { server, operations } = await started;
      const asked = JSON.parse(text) as Asked;
      const { method, path } = operations[asked.operation % operations.length]!;
      let index = 0;
      const filled = path.replace(/\{\w+\}/g, () => encoded(asked.ids[index++ % asked.ids.length]!));
      const search = Object.entries(asked.query).map(([name, value]) => `${name}=${encoded(value)}`);
      const response = await fetch(`${server.url}${filled}?${search.join('&')}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method !== 'GET' && { body: Buffer.from(asked.body) }),
        redirect: 'manual',
      });
      const answer = await response.text();
      hold(response.status < 500, `${method} ${filled} → ${response.status} ${answer} ${String(errors.at(-1))}`);
      hold(!/node_modules|\.ts:\d+|at async/.test(answer), 'the answer shows a stack');
      if (response.status >= 400)
        hold(response.headers.get('content-type') === 'application/problem+json', 'an error without a problem');
      return `${method} ${response.status}`;
    },
    close: async () => (await started)?.server.close(),
  },
];

async function start() {
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const log = { info: () => undefined, error: (...facts: unknown[]) => void errors.push(facts) };
  const server = await createServer({ forest: createForest(memoryStore()), config, env: {}, log }).listen({ port: 0 });
  const document = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })))
    // These stay open until something happens.
    .filter(({ path }) => !/changes$|events$/.test(path));
  return { server, operations };
}

function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
