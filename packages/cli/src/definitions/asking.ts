import { type Command, Option } from 'commander';
import type { ChatOptions } from '../commands/chat.ts';
import { forestCommand, jsonCommand, parseCount } from '../commands/forest-command.ts';

function addChat(program: Command): void {
  forestCommand(program, 'chat', 'talk to a model or an agent in the terminal; the conversation is stored')
    .argument(
      '[agent | provider/model]',
      'an agent or a model; default: "model" of the configuration, or the first one with a key',
    )
    .option('--at <node|thread>', 'continue from a node or a thread')
    .option('-c, --continue', 'continue the last conversation')
    .option('-s, --system <text>', 'the system text')
    .option('-m, --model <provider/model>', "used instead of the agent's model")
    .option('--preset <name>', 'a preset of the configuration')
    .addOption(pairsOption('-o, --option <name value>', 'a parameter, such as temperature 0.2; repeatable'))
    .option('--think <effort|tokens>', 'how much to think: low, medium or high; for some models, a number of tokens')
    .option('--agents <folder>', 'the folder of the agent files')
    .action(async (who: string | undefined, options: ChatOptions) =>
      (await import('../commands/chat.ts')).chat(who, options),
    );
}

function addAsk(program: Command): void {
  jsonCommand(program, 'ask', 'ask a model once; question and answer are stored')
    .argument('[question...]', 'the question; what is piped into standard input is sent below it')
    .option(
      '-m, --model <provider/model>',
      'the model or its alias; default: the one that answered last, "model" of the configuration, or the first one with a key',
    )
    .option('-s, --system <text>', 'the system text')
    .option('-c, --continue', 'continue the last conversation')
    .option('--at <node|thread>', 'continue from a node or a thread')
    .addOption(
      listOption(
        '-a, --attachment <path|url>',
        'attach a file, what is at an address, or - for standard input; repeatable',
      ),
    )
    .addOption(listOption('-f, --fragment <path|url>', 'put a text above the question; repeatable'))
    .addOption(listOption('--system-fragment <path|url>', 'put a text above the system text; repeatable'))
    .addOption(pairsOption('-o, --option <name value>', 'a parameter, such as temperature 0.2; repeatable'))
    .option('--max-tokens <count>', 'the most tokens that the answer may have', parseCount)
    .option('--preset <name>', 'a preset of the configuration')
    .option('-t, --template <name>', 'a saved template, or its file')
    .addOption(pairsOption('-p, --param <name value>', 'a variable of the template; repeatable'))
    .option('--save <name>', 'save the question and the flags as a template, and ask nothing')
    .option(
      '--schema <schema>',
      'the answer is JSON: "name, age int", JSON Schema, a file that ends in .json, or t:template',
    )
    .option('--schema-multi <schema>', 'as --schema, for a list of such objects')
    .addOption(listOption('-T, --tool <name|module>', 'a built-in tool, or a module that exports tools; repeatable'))
    .option('--yes', 'approve every tool call that needs an approval')
    .option('-x, --extract', 'print only the first fenced code of the answer')
    .option('--extract-last', 'print only the last fenced code of the answer')
    .option('-u, --usage', 'print tokens and cost on standard error')
    .option('--no-stream', 'print the answer when it is complete')
    .action(async (question, options) => (await import('../commands/ask.ts')).ask(question, options));
}

function addRun(program: Command): void {
  jsonCommand(program, 'run', 'give an agent a goal: it works and calls its tools until it is done')
    .argument('<agent>', 'the name of the agent or of its file')
    .argument('<goal...>', 'what the agent should do')
    .option('--agents <folder>', 'the folder of the agent files')
    .option('--model <provider/model>', "used instead of the agent's model")
    .option('--preset <name>', 'a preset of the configuration, for an agent that names none')
    .option('--steps <count>', 'how many requests the agent may send to the model', parseCount)
    .option('--yes', 'approve every tool call that needs an approval')
    .action(async (name, goal, options) => (await import('../commands/run-agent.ts')).runAgent(name, goal, options));
}

function addRerun(program: Command): void {
  jsonCommand(
    program,
    'rerun',
    'ask other models the last question of conversations; their answers become branches beside the original',
  )
    .argument('<threads...>', 'threads, or the beginnings of their ids')
    .addOption(
      listOption('--model <provider/model>', 'a model that answers; may be given several times').makeOptionMandatory(),
    )
    .option('-n, --answers <count>', 'how many answers each model gives', parseCount, 1)
    .option('--check <expression>', 'JavaScript that says whether an answer is good, such as text.includes("Oslo")')
    .option('--schema <file>', 'a JSON Schema that the text of an answer must match')
    .option('--judge <provider/model>', 'a model that rates each answer from -5 to 5; ratings are stored')
    .option('--rubric <text>', 'what the judge looks at', 'Is the answer correct, complete and to the point?')
    .option('--max-cost <dollars>', 'stop when the answers have cost this much', Number.parseFloat)
    .action(async (threads, options) => (await import('../commands/rerun.ts')).rerun(threads, options));
}

const collect = (value: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), value];

/** A flag that may be given several times. */
function listOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect);
}

/** A flag with a name and a value, which `joinPairs` makes one. */
function pairsOption(flags: string, description: string): Option {
  return listOption(flags, description);
}

const PAIRED = new Set(['-o', '--option', '-p', '--param']);
const WITH_PAIRS = new Set(['ask', 'chat']);

/** Joins `-o name value` to `-o name=value`: commander knows flags with one value only. */
export function joinPairs(args: readonly string[]): string[] {
  if (!args.some((arg) => WITH_PAIRS.has(arg))) return [...args];
  const joined: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--') return [...joined, ...args.slice(at)];
    joined.push(arg);
    const [name, value] = args.slice(at + 1, at + 3);
    if (!PAIRED.has(arg) || name === undefined) continue;
    const isWhole = name.includes('=') || value === undefined;
    joined.push(isWhole ? name : `${name}=${value}`);
    at += isWhole ? 1 : 2;
  }
  return joined;
}

/** Commands that ask models. In the order of the help. */
export const ASKING: readonly ((program: Command) => void)[] = [addChat, addAsk, addRun, addRerun];
