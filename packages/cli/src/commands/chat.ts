import type { Command } from 'commander';
import type { ChatOptions } from '../chat/chat.ts';
import { UsageError } from '../output/output.ts';
import { forestCommand } from './forest-command.ts';

export function addChat(program: Command): void {
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
    .action(async (who: string | undefined, options: ChatOptions) => {
      if (!process.stdin.isTTY || !process.stdout.isTTY)
        throw new UsageError('chat needs a terminal: in scripts, use skein ask.');
      await (await import('../chat/chat.ts')).chat(who, options);
    });
}
