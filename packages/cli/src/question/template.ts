import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isObject, type JsonObject, nearest } from '@skein/core';
import { userPath } from '../context/user-files.ts';
import { CommandError, UsageError } from '../output/output.ts';

/** A saved question. The keys are those of the templates of `llm`, so that its files work here. */
export interface Template {
  readonly prompt?: string;
  readonly system?: string;
  /** `provider/model`, or an alias. */
  readonly model?: string;
  /** As after `-o`. */
  readonly options?: Readonly<Record<string, string | number | boolean>>;
  /** Values of variables that `-p` does not give. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>;
  readonly schema_object?: JsonObject;
  readonly attachments?: readonly string[];
  readonly fragments?: readonly string[];
  readonly system_fragments?: readonly string[];
  readonly tools?: readonly string[];
  readonly extract?: boolean;
  readonly extract_last?: boolean;
}

const SHAPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: isText,
  prompt: isText,
  system: isText,
  model: isText,
  options: isValues,
  defaults: isValues,
  schema_object: isObject,
  attachments: isTexts,
  fragments: isTexts,
  system_fragments: isTexts,
  tools: isTexts,
  extract: isFlag,
  extract_last: isFlag,
};

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}
function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}
function isValues(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((one) => ['string', 'number', 'boolean'].includes(typeof one));
}

/** The folder of the templates. */
export const templateFolder = () => userPath('templates');

/** The file of a template. */
export const templateFile = (name: string) => userPath('templates', `${checkName(name)}.yaml`);

function checkName(name: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u.test(name)) return name;
  throw new UsageError(`"${name.slice(0, 60)}" cannot name a template: use letters, digits, dots and dashes.`);
}

/** The names of the saved templates. */
export function templateNames(): string[] {
  try {
    return readdirSync(templateFolder())
      .flatMap((file) => /^(.+)\.ya?ml$/.exec(file)?.[1] ?? [])
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads a template by its name, or a file by its path. */
export async function readTemplate(name: string): Promise<Template> {
  const isPath = /[\\/]|\.ya?ml$/i.test(name);
  const file = isPath ? name : templateFile(name);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isPath || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const names = templateNames();
    const near = nearest(name, names);
    const hint = near
      ? `Did you mean "${near}"?`
      : names.length > 0
        ? `There is: ${names.join(', ')}.`
        : 'There is none: --save makes one.';
    throw new UsageError(`There is no template "${name}". ${hint}`);
  }
  // The parser is large, and most questions have no template.
  const { parse } = await import('yaml');
  return checkTemplate(parseYaml(parse, text, file), file);
}

function parseYaml(parse: (text: string) => unknown, text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n');
    throw new CommandError('invalid_configuration', `${file} is not YAML: ${first}`);
  }
}

function checkTemplate(value: unknown, file: string): Template {
  // `llm` takes a file with nothing but a text as its prompt.
  if (typeof value === 'string') return { prompt: value };
  if (!isObject(value)) throw new CommandError('invalid_configuration', `${file} has no keys: write "prompt: …".`);
  for (const [key, inner] of Object.entries(value)) {
    const near = nearest(key, Object.keys(SHAPE));
    const hint = near ? ` Did you mean "${near}"?` : ` Known are ${Object.keys(SHAPE).join(', ')}.`;
    if (!Object.hasOwn(SHAPE, key))
      throw new CommandError('invalid_configuration', `${file}: "${key}" is unknown.${hint}`);
    if (!SHAPE[key]!(inner))
      throw new CommandError('invalid_configuration', `${file}: "${key}" has the wrong kind of value.`);
  }
  return value as Template;
}

/** Writes a template and returns its file. One of the same name is replaced, as `--save` says. */
export async function writeTemplate(name: string, template: Template): Promise<string> {
  const file = templateFile(name);
  const { stringify } = await import('yaml');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, stringify({ name, ...template }));
  return file;
}

/** Removes a template. Returns false if there is none. */
export function removeTemplate(name: string): boolean {
  if (!templateNames().includes(name)) return false;
  rmSync(templateFile(name));
  return true;
}

const VARIABLE = /\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g;

/** The names of the variables in a text, without `$$`. */
export function variablesIn(text: string): string[] {
  const names = [...text.matchAll(VARIABLE)].flatMap(([, , plain, braced]) => plain ?? braced ?? []);
  return [...new Set(names)];
}

/** Replaces `$name` and `${name}` by values, and `$$` by `$`. A variable without a value is an error. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  const missing = variablesIn(text).filter((name) => !Object.hasOwn(values, name));
  if (missing.length > 0)
    throw new UsageError(`The template needs ${missing.map((name) => `-p ${name} …`).join(' and ')}.`);
  return text.replace(VARIABLE, (_all, dollar, plain, braced) => (dollar ? '$' : values[plain ?? braced]!));
}
