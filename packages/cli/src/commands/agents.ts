import { describeProblem, loadAgents } from '@skein/agents';
import type { Command } from 'commander';
import { colors, note, oneLine, say, sayJson, warn } from '../output/output.ts';
import { problemsOf } from '../world/agent-named.ts';
import { readConfig } from '../world/open-world.ts';

export function addAgents(program: Command): void {
  program
    .command('agents')
    .description('list the agents, with their models and tools')
    .option('--agents <folder>', 'where their files are')
    .option('--json', 'one JSON document, for programs')
    .action(listAgents);
}

async function listAgents({ json, ...flags }: { readonly json?: boolean; readonly agents?: string }): Promise<void> {
  const config = await readConfig(flags);
  const loaded = await loadAgents(config.agents, { config });
  try {
    const items = loaded.agents.map(({ id, name, description, file, model, toolNames }) => ({
      id,
      name,
      ...(description !== undefined && { description }),
      model: `${model.provider.id}/${model.model}`,
      tools: toolNames,
      file,
    }));
    const problems = problemsOf(loaded);
    if (problems.some(({ severity }) => severity === 'error')) process.exitCode = 1;
    if (json) return sayJson({ items, problems });
    for (const problem of problems) warn(describeProblem(problem));
    for (const { id, name, description = '', model, tools } of items) {
      say(`${colors.yellow(id)}  ${model}  ${oneLine(name === id ? description : `${name}. ${description}`)}`);
      if (tools.length > 0) say(colors.dim(`  tools: ${tools.join(', ')}`));
    }
    if (items.length === 0) note(`There is no agent in ${config.agents}: an agent is a YAML file there.`);
  } finally {
    await loaded.close();
  }
}
