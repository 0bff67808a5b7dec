import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAgents, loadConfig } from '@skein/agents';
import fc from 'fast-check';
import { text as anyText, json, value } from '../../../packages/agents/test/any-text.ts';
import { mutated } from '../mutate.ts';
import { hold, type Target } from '../target.ts';

const SAMPLES = [
  'model: openai/gpt-5.2\nproviders:\n  house:\n    dialect: openai-chat\n    base_url: http://localhost:1/v1\nserver:\n  port: 8080\n',
  'name: todo\nmodel: anthropic/claude-sonnet-4-5\nsystem_prompt: Be brief.\ntools: [read_file, "mcp:x"]\nlimits: {steps: 3}\n',
  '[server]\nport = 8080\n[mcp.x]\ncommand = "node"\nargs = ["x.mjs"]\n',
];
const FORMS = ['yaml', 'toml', 'json'] as const;

/** Files of configuration and agents: whatever they contain, loading continues, and every problem says what to do. */
export const targets: readonly Target[] = FORMS.map((form) => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-fuzz-'));
  return {
    name: `config in ${form}`,
    input: fc.oneof(mutated(SAMPLES), value.map(json), anyText),
    async run(content) {
      const file = join(folder, `skein.config.${form}`);
      await mkdir(join(folder, 'agents'), { recursive: true });
      await writeFile(file, content);
      await writeFile(join(folder, 'agents', 'a.yaml'), content);
      const { config, problems } = await loadConfig({ cwd: folder, home: folder, env: {}, file });
      const loaded = await loadAgents(join(folder, 'agents'), { config, env: {} });
      for (const { file: named, message, fix } of [...problems, ...loaded.problems])
        hold(named !== '' && message !== '' && fix !== '', 'a problem does not say where, what, or what to do');
      return `${Math.min(problems.length, 5)} problems${loaded.agents.length > 0 ? ', an agent' : ''}`;
    },
    close: async () => rmSync(folder, { recursive: true }),
  };
});
