import { Argument, type Command } from 'commander';
import { jsonCommand, withListFlags } from '../commands/forest-command.ts';
import { withPager } from '../output/output.ts';

function addAgents(program: Command): void {
  withListFlags(program.command('agents').description('list the agents, with their models and tools'))
    .option('--agents <folder>', 'the folder of the agent files')
    .action(async (options) => (await import('../commands/configuration.ts')).listAgents(options));
}

function addModels(program: Command): void {
  withListFlags(
    program
      .command('models')
      .description('list the providers and which of them have keys; with a provider, list its known models'),
  )
    .argument('[provider]', 'a provider, such as anthropic')
    .action(async (provider, options) =>
      withPager(async () => (await import('../commands/configuration.ts')).listModels(provider, options)),
    );
}

function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('store the keys of providers; a key in the environment takes precedence');
  withListFlags(
    keys.command('list', { isDefault: true }).description('list which providers have a key, and from where'),
  ).action(async (flags) => (await import('../commands/user-settings.ts')).listKeys(flags));
  keys
    .command('set')
    .description('store a key, which is typed in the terminal or piped in')
    .argument('<provider>', 'a provider, such as anthropic')
    .option('--keyring', "keep it in the system's keyring, with the package @napi-rs/keyring")
    .action(async (name, options) => (await import('../commands/user-settings.ts')).setKey(name, options));
  keys
    .command('rm')
    .description('remove a stored key')
    .argument('<provider>', 'a provider, such as anthropic')
    .action(async (name) => (await import('../commands/user-settings.ts')).removeKey(name));
  keys
    .command('path')
    .description('print where the keys are stored')
    .action(async () => (await import('../commands/user-settings.ts')).sayKeyPath());
}

function addAliases(program: Command): void {
  const aliases = program.command('aliases').description('give models short names');
  withListFlags(aliases.command('list', { isDefault: true }).description('list the aliases')).action(async (flags) =>
    (await import('../commands/user-settings.ts')).listAliases(flags),
  );
  aliases
    .command('set')
    .description('give a model a short name')
    .argument('<alias>')
    .argument('<provider/model>')
    .action(async (alias, model) => (await import('../commands/user-settings.ts')).setAlias(alias, model));
  aliases
    .command('rm')
    .description('remove an alias')
    .argument('<alias>')
    .action(async (alias) => (await import('../commands/user-settings.ts')).removeAlias(alias));
}

function addTemplates(program: Command): void {
  const templates = program
    .command('templates')
    .description('list, show, edit or remove saved questions, for "skein ask -t"');
  withListFlags(templates.command('list', { isDefault: true }).description('list the templates')).action(
    async (flags) => (await import('../commands/user-settings.ts')).listTemplates(flags),
  );
  templates
    .command('show')
    .description('print a template')
    .argument('<template>')
    .action(async (name) => (await import('../commands/user-settings.ts')).showTemplate(name));
  templates
    .command('edit')
    .description('open a template in your editor')
    .argument('<template>')
    .action(async (name) => (await import('../commands/user-settings.ts')).editTemplate(name));
  templates
    .command('rm')
    .description('remove a template')
    .argument('<template>')
    .action(async (name) => (await import('../commands/user-settings.ts')).deleteTemplate(name));
  templates
    .command('path')
    .description('print the folder of the templates')
    .action(async () => (await import('../commands/user-settings.ts')).sayTemplatePath());
}

function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the script with which a shell completes commands, flags, models and ids')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell) => (await import('../commands/completion.ts')).sayScript(shell));
}

function addDoctor(program: Command): void {
  jsonCommand(program, 'doctor', 'check versions, configuration, store, keys, addresses, port and agents').action(
    async (flags) => (await import('../commands/configuration.ts')).doctor(flags),
  );
}

/** Commands about configuration. In the order of the help. */
export const SETUP: readonly ((program: Command) => void)[] = [
  addKeys,
  addAliases,
  addTemplates,
  addModels,
  addAgents,
  addCompletion,
  addDoctor,
];
