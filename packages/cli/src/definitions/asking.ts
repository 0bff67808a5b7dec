import type { Command } from 'commander';
import type { ChatOptions } from '../commands/chat.ts';
import { forestCommand, jsonCommand, parseCount } from '../commands/forest-command.ts';

function addChat(program: Command): void {
  forestCommand(program, 'chat', 'talk to a model or an agent in the terminal; the forest keeps all of it')
    .argument(
      '[agent | provider/model]',
      'an agent or a model; default: "model" of the configuration, or the first one with a key',
    )
    .option('--at <node|thread>', 'continue from a node or a thread')
    .option('--system <text>', 'the system text')
    .option('--model <provider/model>', "used instead of the agent's model")
    .option('--preset <name>', 'a preset of the configuration')
    .option('--think <effort|tokens>', 'how much to think: low, medium or high; for some models, a number of tokens')
    .option('--agents <folder>', 'the folder of the agent files')
    .action(async (who: string | undefined, options: ChatOptions) =>
      (await import('../commands/chat.ts')).chat(who, options),
    );
}

function addAsk(program: Command): void {
  jsonCommand(program, 'ask', 'ask a model once; the answer is printed, and the forest keeps both')
    .argument('[question...]', 'without one, standard input is read')
    .option(
      '--model <provider/model>',
      'the model; default: the one that answered last, "model" of the configuration, or the first one with a key',
    )
    .option('--preset <name>', 'a preset of the configuration')
    .option('--schema <file>', 'a JSON Schema for the answer, which is then JSON')
    .option('--system <text>', 'the system text')
    .option('--at <node|thread>', 'continue from a node or a thread')
    .option('--max-tokens <count>', 'the most tokens that the answer may have', parseCount)
    .action(async (question, options) => (await import('../commands/ask.ts')).ask(question, options));
}

function addRun(program: Command): void {
  jsonCommand(program, 'run', 'give an agent a goal: it works and calls its tools until it is done')
    .argument('<agent>', 'the name of the agent or of its file')
    .argument('<goal...>')
    .option('--agents <folder>', 'the folder of the agent files')
    .option('--model <provider/model>', "used instead of the agent's model")
    .option('--preset <name>', 'a preset of the configuration, for an agent that names none')
    .option('--steps <count>', 'the most requests to the model', parseCount)
    .option('--yes', 'approve every tool call that needs an approval')
    .action(async (name, goal, options) => (await import('../commands/ask.ts')).runAgent(name, goal, options));
}

/** Commands that ask models. In the order of the help. */
export const ASKING: readonly ((program: Command) => void)[] = [addChat, addAsk, addRun];
