import { extname } from 'node:path';
import type { Problem } from './problem.ts';
import { readJson } from './read-json.ts';
import { readToml } from './read-toml.ts';
import { readYaml } from './read-yaml.ts';

/** Keys and indexes from the top of a file to a value. */
export type KeyPath = readonly (string | number)[];

/** What a person wrote, with the line that every key stands on. */
export interface Document {
  readonly file: string;
  readonly value: unknown;
  /** The line of that key, or of the nearest one around it. */
  lineOf(path: KeyPath): number | undefined;
}

/** A parsed text, or where it could not be parsed. Texts of errors never quote the file: it may hold a secret. */
export type Parsed =
  | { readonly value: unknown; readonly lineOf: (path: KeyPath) => number | undefined }
  | { readonly line: number | undefined; readonly message: string };

/** Reads a YAML, TOML or JSON text by the file's extension. */
export function readDocument(file: string, text: string): Document | Problem {
  const form = FORMS[extname(file).toLowerCase()] ?? FORMS['.yaml']!;
  const parsed = form.read(text);
  if ('value' in parsed) return { file, ...parsed };
  const { line, message } = parsed;
  const fix = `Mend the ${form.name} in this place; nothing of the file is used until then.`;
  return { severity: 'error', code: 'syntax', file, line, key: '', message: `${form.name}: ${message}.`, fix };
}

const FORMS: Readonly<Record<string, { readonly name: string; readonly read: (text: string) => Parsed }>> = {
  '.yaml': { name: 'YAML', read: readYaml },
  '.toml': { name: 'TOML', read: readToml },
  '.json': { name: 'JSON', read: readJson },
};

/** `providers.house.base_url`, `tools[2]`. */
export function keyText(path: KeyPath): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index > 0 ? `.${step}` : step)).join('');
}
