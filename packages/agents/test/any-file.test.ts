import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAgents, loadConfig } from '@skein/agents';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../scripts/test-shares.ts';
import { json, KEYS, text, value } from './any-text.ts';
import { configIn, folderWith } from './kit.ts';

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
    { numRuns: runs(300) },
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
    { numRuns: runs(200) },
  );
});
