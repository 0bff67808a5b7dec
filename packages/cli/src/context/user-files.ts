import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../output/output.ts';

/** A file or folder of the user's configuration: below `$XDG_CONFIG_HOME/skein`, or `~/.config/skein`. */
export function userPath(...names: readonly string[]): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'skein', ...names);
}

/** Texts by name, in a JSON file of the user. */
export interface NamedTexts {
  readonly path: string;
  read(): Readonly<Record<string, string>>;
  /** Sets a value; undefined removes it. Returns whether anything changed. */
  set(name: string, value: string | undefined): boolean;
}

/** Opens a file of named texts. A private one can only be read by its owner. */
export function namedTexts(path: string, { isPrivate = false } = {}): NamedTexts {
  const read = () => readTexts(path, isPrivate);
  return {
    path,
    read,
    set(name, value) {
      const { [name]: before, ...others } = read();
      if (before === value) return false;
      writeTexts(path, value === undefined ? others : { ...others, [name]: value }, isPrivate);
      return true;
    },
  };
}

function readTexts(path: string, isPrivate: boolean): Record<string, string> {
  let text: string;
  try {
    if (isPrivate && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  const value = parse(text);
  if (value && Object.values(value).every((one) => typeof one === 'string')) return value as Record<string, string>;
  // The text is not quoted: it may contain a key.
  throw new CommandError('invalid_configuration', `${path} is not a JSON object of texts: mend it, or remove it.`);
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function writeTexts(path: string, values: Readonly<Record<string, string>>, isPrivate: boolean): void {
  mkdirSync(join(path, '..'), { recursive: true, ...(isPrivate && { mode: 0o700 }) });
  const draft = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, `${JSON.stringify(values, null, 2)}\n`, { mode: isPrivate ? 0o600 : 0o644, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Short names for models, such as `fast` for `openai/gpt-5.5`. */
export function modelAliases(): NamedTexts {
  return namedTexts(userPath('aliases.json'));
}

/** The model that a name stands for: itself with a slash, otherwise what the user's aliases say. */
export function resolveAlias(name: string): string {
  if (name.includes('/')) return name;
  return modelAliases().read()[name] ?? name;
}
