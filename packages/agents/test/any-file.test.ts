import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAgents, loadConfig } from '@skein/agents';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { configIn, folderWith } from './kit.ts';

const KEYS = [
  ...['store', 'model', 'preset', 'presets', 'providers', 'agents', 'mcp', 'fetch', 'redaction', 'retention', 'server'],
  ...['name', 'provider', 'system_prompt', 'tools', 'files', 'params', 'limits', 'approve', 'fallback', 'module'],
  ...['openai', 'base_url', 'dialect', 'command', 'url', 'env', 'headers', 'port', 'days', 'patterns', 'steps'],
  ...['__proto__', 'constructor', 'toString', '', ' '],
];
const text = fc.oneof(
  fc.string(),
  fc.constantFrom(...KEYS, 'mcp:x', './x.ts', 'read_file', 'openai/gpt-5.2', '~', '..'),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { maxLength: 6 }).map((entries) => new Map(entries)),
  ),
}));
const json = (given: unknown): string =>
  JSON.stringify(given, (_, inner: unknown) => (inner instanceof Map ? Object.fromEntries(inner) : inner)) ?? 'null';

test('whatever stands in a file, loading does not throw, and every problem says what to do', async () => {
  const folder = await folderWith({ 'agents/a.yaml': '' });
  await fc.assert(
    fc.asyncProperty(fc.oneof(value.map(json), text), async (content) => {
      await writeFile(join(folder, 'skein.config.yaml'), content);
      await writeFile(join(folder, 'agents/a.yaml'), content);
      const { config, problems } = await configIn(folder);
      const loaded = await loadAgents(join(folder, 'agents'), { config, env: {} });
      for (const { file, message, fix } of [...problems, ...loaded.problems])
        expect([file, message, fix]).not.toContain('');
    }),
    { numRuns: 300 },
  );
});

test('whatever stands in a TOML or JSON file, too', async () => {
  const folder = await folderWith({});
  const line = fc.tuple(
    fc.constantFrom(...KEYS, '[server]', '[[mcp]]', '[mcp.x]', '"""', "'''"),
    fc.constantFrom('', ' = '),
    text,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        line.map((parts) => parts.join('')),
        { maxLength: 8 },
      ),
      async (lines) => {
        for (const form of ['toml', 'json']) {
          const file = join(folder, `any.${form}`);
          await writeFile(file, lines.join('\n'));
          await loadConfig({ cwd: folder, home: folder, env: {}, file });
        }
      },
    ),
    { numRuns: 200 },
  );
});
