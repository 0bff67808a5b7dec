import { isObject, type JsonObject, type ToolUseBlock } from '@skein/core';

/** A file that a call of a tool read or changed. */
export interface TouchedFile {
  /** As the model wrote it. */
  readonly path: string;
  /** What was replaced by what; empty for a file that was only read. A new file replaces nothing. */
  readonly changes: readonly { readonly before: string; readonly after: string }[];
  /** What happened to the file as a whole, where the call says so. */
  readonly whole?: 'written' | 'deleted';
}

/** What a call of a coding agent's tool does, as far as its arguments say so. */
export interface ToolEffect {
  readonly files: readonly TouchedFile[];
  /** The command that was run in a shell. */
  readonly command?: string;
}

/**
 * The names that agents have for the same arguments. Tools are told by their arguments, because each agent calls its tools
 * differently, and those of a plug-in have names that nobody knows.
 */
const PATHS = ['file_path', 'filePath', 'absolute_path', 'notebook_path', 'path', 'filename'] as const;
const REPLACED = [
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['oldText', 'newText'],
  ['old_str', 'new_str'],
] as const;
const WRITTEN = ['content', 'file_text', 'new_source'] as const;
const COMMANDS = ['command', 'cmd'] as const;

/** Reads what a call does from its arguments. */
export function readToolEffect({ parameters, rawParameters, form }: ToolUseBlock): ToolEffect {
  const patch = findPatch(form === 'custom' ? rawParameters : parameters);
  if (patch !== undefined) return { files: readPatch(patch) };
  const path = firstText(parameters, PATHS);
  if (path !== undefined) return { files: [touchFile(path, parameters)] };
  const command = findCommand(parameters);
  return { files: [], ...(command !== undefined && { command }) };
}

function touchFile(path: string, parameters: JsonObject): TouchedFile {
  const edits = Array.isArray(parameters.edits) ? parameters.edits.filter(isObject) : [];
  const changes = [parameters, ...edits].flatMap((edit) => {
    const names = REPLACED.find(([before, after]) => isText(edit[before]) && isText(edit[after]));
    return names ? [{ before: edit[names[0]] as string, after: edit[names[1]] as string }] : [];
  });
  if (changes.length > 0) return { path, changes };
  const written = firstText(parameters, WRITTEN);
  return written === undefined
    ? { path, changes: [] }
    : { path, changes: [{ before: '', after: written }], whole: 'written' };
}

/** A command is a text, or the list of its words. Shells that run a text (`bash -lc …`) are left out. */
function findCommand(parameters: JsonObject): string | undefined {
  const action = isObject(parameters.action) ? parameters.action : {};
  for (const value of [parameters, action].flatMap((from) => COMMANDS.map((name) => from[name]))) {
    if (isText(value) && value.trim() !== '') return value;
    if (!Array.isArray(value) || value.length === 0 || !value.every(isText)) continue;
    const [shell = '', flag = '', script] = value;
    return /(^|\/)(ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag) && script !== undefined ? script : value.join(' ');
  }
  return undefined;
}

function firstText(from: JsonObject, names: readonly string[]): string | undefined {
  return names.map((name) => from[name]).find(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

const PATCH = /^\*\*\* Begin Patch$[\s\S]*?(?:^\*\*\* End Patch$|(?![\s\S]))/m;

/** A patch may be the whole input, one of the arguments, or a here-document in a command. */
function findPatch(input: unknown): string | undefined {
  if (isText(input)) return PATCH.exec(input)?.[0];
  if (!isObject(input) && !Array.isArray(input)) return undefined;
  return Object.values(input).map(findPatch).find(isText);
}

/** Reads a patch in the form of `apply_patch`. */
function readPatch(patch: string): TouchedFile[] {
  const files: { path: string; hunks: string[][]; whole?: 'written' | 'deleted' }[] = [];
  for (const line of patch.split('\n')) {
    const [, what, path] = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line) ?? [];
    const at = files.at(-1);
    if (path !== undefined) {
      const whole = what === 'Add' ? 'written' : what === 'Delete' ? 'deleted' : undefined;
      files.push({ path: path.trim(), hunks: [], ...(whole && { whole }) });
    } else if (at && line.startsWith('@@')) at.hunks.push([]);
    else if (at && /^[ +-]/.test(line)) {
      if (at.hunks.length === 0) at.hunks.push([]);
      at.hunks.at(-1)!.push(line);
    }
  }
  return files.map(({ path, hunks, whole }) => ({
    path,
    changes: hunks
      .filter((lines) => lines.length > 0)
      .map((lines) => ({ before: linesWithout('+', lines), after: linesWithout('-', lines) })),
    ...(whole && { whole }),
  }));
}

function linesWithout(mark: '+' | '-', lines: readonly string[]): string {
  return lines
    .filter((line) => !line.startsWith(mark))
    .map((line) => line.slice(1))
    .join('\n');
}
