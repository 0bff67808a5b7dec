import type { Command } from 'commander';
import type { ChatOptions } from '../chat/chat.ts';
import { UsageError } from '../output/output.ts';
import { forestCommand } from './forest-command.ts';

export function addChat(program: Command): void {
  forestCommand(program, 'chat', 'talk to a model or an agent in the terminal; all of it goes into the forest')
    .argument('[agent | provider/model]', 'default: "model" of the configuration, or the first that there is a key for')
    .option('--at <node|thread>', 'go on from there')
    .option('--system <text>', 'how to answer')
    .option('--model <provider/model>', 'another model than the agent’s own')
    .option('--preset <name>', 'parameters by their name in the configuration')
    .option(
      '--think <effort|tokens>',
      'how hard to think: low, medium, high, or a number of tokens for models that take one',
    )
    .option('--agents <folder>', 'where the files of the agents are')
    .action(async (who: string | undefined, options: ChatOptions) => {
      if (!process.stdin.isTTY || !process.stdout.isTTY)
        throw new UsageError('chat is for a terminal: in scripts, take skein ask.');
      await (await import('../chat/chat.ts')).chat(who, options);
    });
}
