import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { findProvider } from '@skein/agents';
import { providers } from '@skein/core';
import { readConfig } from '../context/command-context.ts';
import { keySource, openKeys } from '../context/keys.ts';
import { findModel, modelName } from '../context/model-access.ts';
import { modelAliases } from '../context/user-files.ts';
import { sayList } from '../output/list.ts';
import { CommandError, colors, note, oneLine, say, sayExactly, UsageError } from '../output/output.ts';
import { columnOf } from '../output/width.ts';
import { hasInput, readInput } from '../question/input.ts';
import { readTemplate, removeTemplate, templateFile, templateFolder, templateNames } from '../question/template.ts';
import type { ListFlags } from './forest-command.ts';

/** `keys set`: stores the key of a provider. It comes from standard input or the terminal, never from the command line. */
export async function setKey(name: string, { keyring }: { readonly keyring?: boolean }): Promise<void> {
  const { id, connection } = findProvider(name, (await readConfig({})).providers);
  if (connection?.needsKey === false) throw new UsageError(`${id} needs no key.`);
  const key = (hasInput() ? (await readInput()).toString('utf8') : await askForKey(id)).trim();
  // A key is one word of printable characters; anything else is a slip, such as a whole file.
  if (!/^[\x21-\x7e]{8,4096}$/.test(key))
    throw new UsageError(
      'This is not a key: a key is one word of eight characters or more. It was not stored, and is not shown here.',
    );
  const keys = openKeys({ keyring: keyring === true });
  keys.set(id, key);
  note(`The key for ${id} is stored in ${keyring ? 'the system keyring' : `${keys.place}, which only you can read`}.`);
  const variable = connection?.keyVariables.find((one) => process.env[one]);
  if (variable !== undefined) note(`${variable} is set, too, and wins.`);
}

/** Reads a line that the terminal does not show. */
async function askForKey(provider: string): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError('There is no key: pipe it in, or run this in a terminal.');
  process.stderr.write(`Key for ${provider} (it is not shown): `);
  const reading = createInterface({ input: process.stdin, terminal: true });
  try {
    const key = await new Promise<string>((resolve) => {
      reading.once('line', resolve);
      reading.once('SIGINT', () => resolve(''));
      reading.once('close', () => resolve(''));
    });
    if (key === '') throw new CommandError('aborted', 'No key was given: nothing was stored.');
    return key;
  } finally {
    reading.close();
    process.stderr.write('\n');
  }
}

export async function removeKey(name: string): Promise<void> {
  if (!openKeys().set(name, undefined))
    throw new CommandError('invalid_configuration', `There is no stored key for ${name}.`);
  note(`The key for ${name} is removed.`);
}

/** Lists which providers have a key, and where it comes from. Keys are never printed. */
export async function listKeys(flags: ListFlags): Promise<void> {
  const config = await readConfig({});
  const stored = openKeys().names();
  const own = Object.values(config.providers);
  const known = [...own, ...providers().filter(({ id }) => !own.some((one) => one.id === id))];
  const items = known.flatMap((one) => {
    const source = keySource(one, stored);
    return source === undefined ? [] : [{ provider: one.id, source }];
  });
  const unknown = stored.filter((name) => !known.some(({ id }) => id === name));
  const all = [...items, ...unknown.map((provider) => ({ provider, source: 'stored, but the provider is not known' }))];
  const column = columnOf(all.map(({ provider }) => provider));
  sayList(all, flags, {
    line: ({ provider, source }) => `${column(provider)}  ${colors.dim(source)}`,
    empty: 'There is no key yet: "skein keys set anthropic" stores one.',
  });
}

export function sayKeyPath(): void {
  say(openKeys().place);
}

/** `aliases`: short names for models. */
export function listAliases(flags: ListFlags): void {
  const items = Object.entries(modelAliases().read()).map(([alias, model]) => ({ alias, model }));
  const column = columnOf(items.map(({ alias }) => alias));
  sayList(items, flags, {
    line: ({ alias, model }) => `${colors.yellow(column(alias))}  ${model}`,
    empty: 'There is no alias yet: "skein aliases set fast openai/gpt-5.5" makes one.',
  });
}

export async function setAlias(alias: string, model: string): Promise<void> {
  if (!/^[\w.:-]{1,60}$/.test(alias))
    throw new UsageError(`"${alias.slice(0, 60)}" cannot be an alias: use letters, digits and . _ : -`);
  const found = modelName(findModel(model, await readConfig({})));
  modelAliases().set(alias, found);
  note(`${alias} is ${found}.`);
}

export function removeAlias(alias: string): void {
  if (!modelAliases().set(alias, undefined))
    throw new CommandError('invalid_configuration', `There is no alias "${alias}".`);
  note(`The alias ${alias} is removed.`);
}

/** `templates`: the saved questions. */
export async function listTemplates(flags: ListFlags): Promise<void> {
  const items = await Promise.all(
    templateNames().map(async (name) => ({ name, ...(await readTemplate(name).catch(() => ({ broken: true }))) })),
  );
  const column = columnOf(items.map(({ name }) => name));
  sayList(items, flags, {
    line: ({ name, ...template }) => {
      const { system, prompt } = template as { system?: string; prompt?: string };
      const what =
        'broken' in template ? '(cannot be read)' : [system && `system: ${system}`, prompt].filter(Boolean).join(' · ');
      return `${colors.yellow(column(name))}  ${oneLine(what, 60)}`;
    },
    empty: 'There is no template yet: "skein ask --save name" makes one.',
  });
}

export async function showTemplate(name: string): Promise<void> {
  await readTemplate(name);
  const { readFile } = await import('node:fs/promises');
  sayExactly(await readFile(templateFile(name), 'utf8'));
}

export function deleteTemplate(name: string): void {
  if (!removeTemplate(name)) throw new CommandError('invalid_configuration', `There is no template "${name}".`);
  note(`The template ${name} is removed.`);
}

export function sayTemplatePath(): void {
  say(templateFolder());
}

/** Opens a template in the user's editor. A new one is made when the editor saves it. */
export async function editTemplate(name: string): Promise<void> {
  const file = templateFile(name);
  const editor = process.env.VISUAL || process.env.EDITOR;
  if (!editor) throw new UsageError(`Set EDITOR, or edit ${file} yourself.`);
  const { mkdir } = await import('node:fs/promises');
  await mkdir(templateFolder(), { recursive: true });
  // An editor may have arguments of its own, such as `code -w`, so a shell reads it, as git does.
  const child = spawn(`${editor} "$1"`, ['skein', file], { stdio: 'inherit', shell: '/bin/sh' });
  await new Promise((resolve) => child.once('close', resolve));
  if (templateNames().includes(name)) await readTemplate(name);
}
