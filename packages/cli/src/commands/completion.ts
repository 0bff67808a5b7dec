import type { Argument, Command, Option } from 'commander';
import { oneLine, say } from '../output/output.ts';

/** The shells that have a script, and the scripts. Each asks `skein __complete` with the words so far. */
export const SCRIPTS = {
  bash: `# Completion for bash. In ~/.bashrc: eval "$(skein completion bash)"
_skein() {
  local IFS=$'\\n' line
  COMPREPLY=()
  for line in $(skein __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
    if [ "$line" = ':files' ]; then compopt -o default; COMPREPLY=(); return; fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done
}
complete -F _skein skein
`,
  zsh: `#compdef skein
# Completion for zsh. In ~/.zshrc, below compinit: eval "$(skein completion zsh)"
_skein() {
  local -a lines values
  local line
  lines=("\${(@f)$(skein __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${lines[1]}" == ':files' ]]; then _files; return; fi
  for line in $lines; do values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}"); done
  (( \${#values} )) && _describe skein values
}
compdef _skein skein
`,
  fish: `# Completion for fish: skein completion fish > ~/.config/fish/completions/skein.fish
function __skein_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l lines (skein __complete $words[2..-1] 2>/dev/null)
  if test "$lines[1]" = ':files'
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $lines
  end
end
complete -c skein -f -a '(__skein_complete)'
`,
} as const;

export function sayScript(shell: keyof typeof SCRIPTS): void {
  say(SCRIPTS[shell].trimEnd());
}

/** What may come next, with a few words about it. */
interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** Tells the shell to offer files. */
const FILES = 'files';

/** Answers a shell: one line for each candidate, with a tab before its description. The last word is being completed. */
export async function answerShell(program: Command, words: readonly string[]): Promise<void> {
  const found = await complete(program, words).catch(() => []);
  if (found === FILES) return say(':files');
  const start = words.at(-1) ?? '';
  for (const { value, about } of found) if (value.startsWith(start)) say(`${value}\t${oneLine(about, 60)}`);
}

async function complete(program: Command, words: readonly string[]): Promise<readonly Candidate[] | typeof FILES> {
  const { command, position, option, given } = readWords(program, words.slice(0, -1));
  const current = words.at(-1) ?? '';
  if (option) return valuesFor(option.flags.replace(/^[^<[]*/, ''), option.argChoices, option.long ?? '', given);
  if (current.startsWith('-')) return optionsOf(command);
  if (command.commands.length > 0 && position === 0) return commandsOf(command);
  const argument = argumentAt(command, position);
  return argument ? valuesFor(argument.name(), argument.argChoices, '', given) : [];
}

interface Reading {
  readonly command: Command;
  /** How many arguments there are already. */
  readonly position: number;
  /** The flag whose value is being typed. */
  readonly option: Option | undefined;
  /** Flags that select the forest. */
  readonly given: Readonly<Record<string, string>>;
}

const PAIRS = new Set(['--option', '--param']);

function readWords(program: Command, words: readonly string[]): Reading {
  let command = program;
  let position = 0;
  const given: Record<string, string> = {};
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const option = command.options.find(({ long, short }) => long === word || short === word);
    if (option?.required || option?.optional) {
      const count = PAIRS.has(option.long ?? '') ? 2 : 1;
      if (at + count >= words.length) {
        const isValue = count === 2 && at + 1 < words.length;
        return isValue ? { command, position: 99, option: undefined, given } : { command, position, option, given };
      }
      given[option.attributeName()] = words[at + 1]!;
      at += count;
    } else if (!word.startsWith('-')) {
      const inner = position === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (inner) command = inner;
      else position += 1;
    }
  }
  return { command, position, option: undefined, given };
}

function optionsOf(command: Command): Candidate[] {
  return command.options.flatMap(({ long, hidden, description }) =>
    long && !hidden ? [{ value: long, about: description }] : [],
  );
}

function commandsOf(command: Command): Candidate[] {
  return command.commands.map((one) => ({ value: one.name(), about: one.description() }));
}

function argumentAt({ registeredArguments: all }: Command, position: number): Argument | undefined {
  const last = all.at(-1);
  return all[position] ?? (last?.variadic ? last : undefined);
}

/** The values of a flag or an argument, by its choices or by its name in the help. */
async function valuesFor(
  name: string,
  choices: readonly string[] | undefined,
  flag: string,
  given: Reading['given'],
): Promise<readonly Candidate[] | typeof FILES> {
  if (choices) return choices.map((value) => ({ value, about: '' }));
  if (flag === '--option') return plain((await import('../question/options.ts')).OPTION_NAMES);
  if (/template/.test(name) || flag === '--template')
    return plain((await import('../question/template.ts')).templateNames());
  if (/provider\/model/.test(name)) return models();
  if (/^<?provider>?$/.test(name)) return plain((await import('@skein/core')).providers().map(({ id }) => id));
  if (/alias/.test(name)) return plain(Object.keys((await import('../context/user-files.ts')).modelAliases().read()));
  if (/thread|node|^row$|^[ab]$|onto/.test(name)) return threads(given);
  if (/folder|path|file|where|module|command/.test(name)) return FILES;
  return [];
}

const plain = (values: readonly string[]): Candidate[] => values.map((value) => ({ value, about: '' }));

async function models(): Promise<Candidate[]> {
  const { modelAliases } = await import('../context/user-files.ts');
  const { providers } = await import('@skein/core');
  const { listedModels } = await import('@skein/core/prices');
  const named = Object.entries(modelAliases().read()).map(([value, about]) => ({ value, about }));
  return [...named, ...plain(providers().flatMap(({ id }) => listedModels(id).map((model) => `${id}/${model}`)))];
}

/** The conversations that changed last. */
async function threads({ store, project }: Reading['given']): Promise<Candidate[]> {
  const { withForest } = await import('../context/command-context.ts');
  const flags = { ...(store !== undefined && { store }), ...(project !== undefined && { project }) };
  return withForest(flags, async ({ forest, redact }) => {
    const { items } = await forest.threads.list({ limit: 50 });
    return items.map(({ id, title }) => ({ value: id, about: redact(title) }));
  });
}
