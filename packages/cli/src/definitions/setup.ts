import type { Command } from 'commander';
import { jsonCommand } from '../commands/forest-command.ts';

function addAgents(program: Command): void {
  program
    .command('agents')
    .description('list the agents, with their models and tools')
    .option('--agents <folder>', 'the folder of the agent files')
    .option('--json', 'one JSON document, for programs')
    .action(async (options) => (await import('../commands/configuration.ts')).listAgents(options));
}

function addModels(program: Command): void {
  program
    .command('models')
    .description('list the providers and which of them have keys; with a provider, list its known models')
    .argument('[provider]')
    .option('--json', 'one JSON document, for programs')
    .action(async (provider, options) => (await import('../commands/configuration.ts')).listModels(provider, options));
}

function addDoctor(program: Command): void {
  jsonCommand(program, 'doctor', 'check versions, configuration, store, keys, addresses, port and agents').action(
    async (flags) => (await import('../commands/configuration.ts')).doctor(flags),
  );
}

/** Commands about configuration. In the order of the help. */
export const SETUP: readonly ((program: Command) => void)[] = [addAgents, addModels, addDoctor];
