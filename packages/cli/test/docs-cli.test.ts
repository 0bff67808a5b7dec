import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createProgram } from '../src/program.ts';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((text) => [/^`skein ([a-z]+)/.exec(text)?.[1], text]),
);
const { commands } = createProgram('0.0.0');

test('every command has its section in docs/cli.md, and no section is of a command that is gone', () => {
  expect([...sections.keys()].toSorted()).toEqual(commands.map((command) => command.name()).toSorted());
});

test('the help says what skein does without a command, and begins with asking', () => {
  const help = createProgram('0.0.0').helpInformation();
  expect(help).toContain('Without a command, skein starts the server');
  expect([...help.matchAll(/^\S.*:$/gm)].map(([title]) => title).slice(1, 3)).toEqual([
    'Ask models:',
    'Look at conversations:',
  ]);
});

test.each(commands.map((command) => [command.name(), command] as const))(
  'docs/cli.md has every flag of %s',
  (name, command) => {
    const common = ['--store', '--project', '--json', '--format'];
    // A command such as `keys` has its flags in its own commands, which share a section.
    const options = [command, ...command.commands].flatMap((one) => one.options);
    const flags = options.flatMap(({ long }) => (typeof long === 'string' && !common.includes(long) ? [long] : []));
    const section = sections.get(name) ?? '';
    expect(flags.filter((flag) => !section.includes(`\`${flag}`))).toEqual([]);
    const named = [...section.matchAll(/`(--[a-z-]+)/g)].map((match) => match[1]);
    expect(named.filter((flag) => !options.some(({ long }) => long === flag))).toEqual([]);
  },
);
