import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILT_IN_TOOLS, loadAgents } from '@skein/agents';
import { expect, test } from 'vitest';
import { configIn, folderWith } from './kit.ts';

const page = (name: string) => readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
const yamlIn = (text: string) => /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? '';

test.each(['configuration', 'mcp'])('the configuration in docs/%s.md is one', async (name) => {
  const text = yamlIn(await page(name));
  const { config, problems } = await configIn(
    await folderWith({ 'skein.config.yaml': text, 'my-dialect.mjs': 'export default () => undefined;' }),
  );
  expect(problems).toEqual([]);
  expect(Object.keys(config.mcp)).toEqual(['github', 'docs']);
});

test('the agent in docs/agents.md is one, and the page names every built-in tool', async () => {
  const text = await page('agents');
  const folder = await folderWith({
    'skein.config.yaml': 'mcp: { github: { command: x } }',
    'agents/todoist.yaml': yamlIn(text),
    'agents/todoist-tools.ts': `import { tool } from '@skein/core'; export const t = tool({ name: 'delete_task', execute: () => 1 });`,
  });
  const { config } = await configIn(folder);
  const { agents, problems } = await loadAgents(join(folder, 'agents'), { config, env: {} });
  expect(problems).toEqual([]);
  expect(agents.map(({ name }) => name)).toEqual(['Todoist']);
  for (const name of BUILT_IN_TOOLS) expect(text).toContain(`\`${name}\``);
});
