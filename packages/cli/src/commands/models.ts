import { describeProblem, findProvider, loadAgents } from '@skein/agents';
import { hasKey, type ProviderDescriptor, providers } from '@skein/core';
import type { Command } from 'commander';
import { readConfig } from '../context/command-context.ts';
import { agentProblems } from '../context/model-access.ts';
import { colors, note, oneLine, say, sayJson, warn } from '../output/output.ts';

export function addModels(program: Command): void {
  program
    .command('models')
    .description('list the providers and which of them have keys; with a provider, list its known models')
    .argument('[provider]')
    .option('--json', 'one JSON document, for programs')
    .action(listModels);
}

async function listModels(name: string | undefined, { json }: { readonly json?: boolean }): Promise<void> {
  const config = await readConfig({});
  if (name === undefined) return listProviders(Object.values(config.providers), json === true);
  const { id } = findProvider(name, config.providers);
  // The price list is large, and most commands do without it.
  const { listedModels, modelInfoWithLimits } = await import('@skein/core/prices');
  const items = listedModels(id).map((model) => {
    const { contextTokens } = modelInfoWithLimits(id, model);
    return { id: `${id}/${model}`, ...(contextTokens !== undefined && { contextTokens }) };
  });
  if (json) return sayJson({ provider: id, items });
  for (const { id, contextTokens } of items)
    say(`${id}${contextTokens === undefined ? '' : colors.dim(`  ${contextTokens} tokens`)}`);
  if (items.length === 0) note(`No list of the models of ${id} is known here. Any name can be asked for: ${id}/name.`);
}

function listProviders(own: readonly ProviderDescriptor[], json: boolean): void {
  const all = [...own, ...providers().filter(({ id }) => !own.some((one) => one.id === id))];
  const items = all.map((one) => ({
    id: one.id,
    dialect: one.dialect,
    key: keyState(one),
    variables: one.connection?.keyVariables ?? [],
  }));
  if (json) {
    sayJson({ items });
    return;
  }
  for (const { id, dialect, key, variables } of items) {
    const state =
      key === 'there'
        ? colors.green('key')
        : key === 'missing'
          ? colors.dim(`set ${variables.join(' or ')}`)
          : 'no key needed';
    say(`${id.padEnd(18)} ${dialect.padEnd(22)} ${state}`);
  }
}

function keyState(one: ProviderDescriptor): 'there' | 'missing' | 'not needed' {
  if (one.connection?.needsKey === false) return 'not needed';
  return hasKey(one) ? 'there' : 'missing';
}

export function addAgents(program: Command): void {
  program
    .command('agents')
    .description('list the agents, with their models and tools')
    .option('--agents <folder>', 'the folder of the agent files')
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
    const problems = agentProblems(loaded);
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
