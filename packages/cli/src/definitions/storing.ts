import type { ExportFormat } from '@skein/forest';
import { type Command, Option } from 'commander';
import { forestCommand, jsonCommand, parseInstant, parsePercent } from '../commands/forest-command.ts';

function addImport(program: Command): void {
  jsonCommand(program, 'import', 'import conversations from a file or a folder, or the sessions of coding agents')
    .argument(
      '[files...]',
      'files, exports as they come (zip), folders such as ~/.claude/projects, or - for standard input',
    )
    .option(
      '--agents [names]',
      'import the sessions of these coding agents on this machine; without names, of all of them',
    )
    .option('--redact', 'leave out keys and tokens that are found in the logs of agents')
    .option(
      '--format <name>',
      'the format, if it is not detected, such as chatgpt or claude; a wrong name prints the list',
    )
    .option('--dialect <name>', 'the dialect of bare messages, such as openai-chat or legacy')
    .action(async (files, options) => (await import('../commands/store.ts')).importInto(files, options));
}

function addWatch(program: Command): void {
  forestCommand(
    program,
    'watch',
    'import the sessions of the coding agents on this machine while they grow, until Ctrl+C',
  )
    .option('--agents <names>', 'only these agents, separated by commas')
    .option('--redact', 'leave out keys and tokens that are found in the logs')
    .option('--service <kind>', 'print a file with which systemd or launchd keeps this running')
    .action(async (options) => (await import('../commands/sessions.ts')).watchAgents(options));
}

function addHandoff(program: Command): void {
  jsonCommand(
    program,
    'handoff',
    'write a conversation as a session of a coding agent, and print the command that continues it',
  )
    .argument('<node|thread>', 'an id, or the beginning of one')
    .addOption(
      new Option('--to <agent>', 'the agent that continues')
        .choices(['claude-code', 'codex', 'opencode', 'pi'])
        .makeOptionMandatory(),
    )
    .option('--cwd <folder>', 'the folder in which the agent continues; default: that of the session')
    .option('--model <name>', 'the model with which it continues; default: the one that answered last')
    .option('--out <folder>', "write to this folder instead of the agent's own")
    .action(async (id, options) => (await import('../commands/sessions.ts')).handOff(id, options));
}

/** Named here, because the help must not load the forest. */
const EXPORTS: readonly (ExportFormat | 'older')[] = [
  ...(['segments', 'markdown', 'html', 'messages', 'fine-tuning', 'anthropic', 'sharegpt'] as const),
  ...(['promptfoo', 'inspect', 'jsonl', 'csv', 'older'] as const),
];

function addExport(program: Command): void {
  forestCommand(program, 'export', 'write conversations to standard output or a file')
    .argument('[node|thread]', 'the history up to a node, or a thread; default: everything')
    .addOption(
      new Option('--format <name>', 'the format; segments is complete and can be imported again')
        .choices(EXPORTS)
        .default('segments'),
    )
    .option(
      '--dialect <name>',
      "the dialect of messages, fine-tuning and jsonl; default: that of OpenAI's chat completions",
    )
    .option('--out <path>', 'write to a new file (with --format older, a new folder)')
    .addOption(new Option('--below', 'the node and everything below it, instead of its history').conflicts('only'))
    .option('--only', 'only this message')
    .option('--tag <name>', 'only conversations with this tag')
    .option('--model <name>', 'only conversations that this model answered in')
    .option('--since <day>', 'only conversations that ended on this day or later', parseInstant)
    .option('--until <day>', 'only conversations that ended before this day', parseInstant)
    .option('--min-rating <number>', 'only conversations with this rating or a better one', Number.parseFloat)
    .option('--text <text>', 'only conversations with this text in a message')
    .option('--min-cost <dollars>', 'only conversations that cost this or more', Number.parseFloat)
    .option('--max-cost <dollars>', 'only conversations that cost this or less', Number.parseFloat)
    .option('--branch <name>', 'only sessions on this branch of a repository')
    .option('--threads', 'only the paths on which a thread ends, not every branch of the tree')
    .option('--deduplicate', 'leave out conversations that say the same as an earlier one')
    .option('--redact', 'leave out keys and tokens of known services')
    .addOption(
      new Option('--hide <pattern>', 'hide what a regular expression matches; repeatable').argParser(
        (value: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), value],
      ),
    )
    .option('--no-tools', 'leave out the definitions of the tools')
    .option('--split <percent>', 'write two files, .train and .test, with this share in the first', parsePercent)
    .option('--seed <text>', 'another text gives another split of the same size', '0')
    .action(async (id, options) => (await import('../commands/export.ts')).exportFrom(id, options));
}

function addVerify(program: Command): void {
  program
    .command('verify')
    .description('check a folder with one file for each message (the older layout), without changing it')
    .argument('<folder>')
    .option('--json', 'one JSON document, for programs')
    .action(async (folder, options) => (await import('../commands/store.ts')).verify(folder, options));
}

/** `fsck`, `gc` and `pack`. */
function addUpkeep(program: Command): void {
  jsonCommand(program, 'fsck', 'check that the store is whole: every hash, parent and text').action(async (flags) =>
    (await import('../commands/store.ts')).fsck(flags),
  );
  jsonCommand(
    program,
    'gc',
    'delete for good what was removed or is older than the retention; no other process may use the forest',
  )
    .option(
      '--months',
      'in PostgreSQL: keep recordings by month, and only drop whole months that are older than the retention; other processes may go on',
    )
    .action(async ({ months, ...flags }) => {
      const commands = await import('../commands/store.ts');
      await (months === true ? commands.dropMonths(flags) : commands.compact('gc', flags));
    });
  jsonCommand(
    program,
    'pack',
    'rewrite the segment files without superseded records, to save disk space; no other process may use the forest',
  ).action(async (flags) => (await import('../commands/store.ts')).compact('pack', flags));
}

/** `push`, `pull` and `sync`. */
function addSync(program: Command): void {
  const descriptions = {
    push: 'send another forest what it lacks',
    pull: 'receive from another forest what this one lacks',
    sync: 'bring this forest and another one together, both ways',
  };
  for (const [name, description] of Object.entries(descriptions)) {
    const command = jsonCommand(program, name, description)
      .argument(
        name === 'sync' ? '[where]' : '<where>',
        'a folder, http://server, ssh:host:folder, git:repository#branch, or postgres:VARIABLE',
      )
      .option('--token <variable>', 'the environment variable with the token of the server', 'SKEIN_TOKEN')
      .option(
        '--key <file>',
        'the file of a key of "skein keygen": what is in the folder or the Git branch is encrypted',
      )
      .option('--tag <name>', 'only threads with this tag')
      .option('--since <day>', 'only threads that changed on this day or later', parseInstant)
      .option('--until <day>', 'only threads whose last change was before this day', parseInstant)
      .option('--dry-run', 'say what would be sent, and write nothing');
    if (name === 'sync')
      command
        .option('--watch', 'go on exchanging changes until Ctrl+C')
        .option('--stdio', 'answer another skein on standard input and output; ssh starts this at the other end');
    const direction = name === 'sync' ? 'both' : (name as 'push' | 'pull');
    command.action(async (where, options) => (await import('../commands/sync.ts')).meet(where, direction, options));
  }
}

function addKeygen(program: Command): void {
  program
    .command('keygen')
    .description('make a key with which push, pull and sync encrypt what they write to a folder or a Git branch')
    .argument('<file>', 'a new file, which only you can read')
    .option('--json', 'one JSON document, for programs')
    .action(async (file, options) => (await import('../commands/sync-key.ts')).makeKey(file, options));
}

/** Commands that carry conversations in and out, and look after the store. In the order of the help. */
export const STORING: readonly ((program: Command) => void)[] = [
  addImport,
  addWatch,
  addHandoff,
  addExport,
  addSync,
  addKeygen,
  addVerify,
  addUpkeep,
];
