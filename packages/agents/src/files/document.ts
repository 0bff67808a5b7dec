import { extname } from 'node:path';
import { isSkeinError, type JsonTextError, parseJson } from '@skein/core';
import { parse, TomlError } from 'smol-toml';
import {
  type Alias,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
  type Document as YamlDocument,
} from 'yaml';
import type { ConfigProblem } from './problem.ts';

/** Keys and indexes from the top of a file to a value. */
export type KeyPath = readonly (string | number)[];

/** The value of a file, with the line of every key. */
export interface Document {
  readonly file: string;
  readonly value: unknown;
  /** The line of a key, or of the nearest key around it. */
  lineOf(path: KeyPath): number | undefined;
}

/** A parsed text, or the place of the syntax error. Errors never quote the file, because it may contain a secret. */
type ParseResult =
  | { readonly value: unknown; readonly lineOf: (path: KeyPath) => number | undefined }
  | { readonly line: number | undefined; readonly message: string };

/** Parses a YAML, TOML or JSON text, by the extension of its file. */
export function readDocument(file: string, text: string): Document | ConfigProblem {
  const form = FORMS[extname(file).toLowerCase()] ?? FORMS['.yaml']!;
  const parsed = form.read(text);
  if ('value' in parsed) return { file, ...parsed };
  const { line, message } = parsed;
  const fix = `Mend the ${form.name} in this place; nothing of the file is used until then.`;
  return { severity: 'error', code: 'syntax', file, line, key: '', message: `${form.name}: ${message}.`, fix };
}

const FORMS: Readonly<Record<string, { readonly name: string; readonly read: (text: string) => ParseResult }>> = {
  '.yaml': { name: 'YAML', read: readYaml },
  '.toml': { name: 'TOML', read: readToml },
  '.json': { name: 'JSON', read: readJson },
};

function readYaml(text: string): ParseResult {
  const lines = new LineCounter();
  // Pretty errors quote the file.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  const lineAt = (offset: number) => lines.linePos(offset).line;
  if (error) return { line: lineAt(error.pos[0]), message: error.message };
  const loop = selfAlias(document);
  if (loop)
    return { line: lineAt(loop.range![0]), message: 'this alias names what it stands in, which contains itself then' };
  let value: unknown;
  try {
    value = document.toJS();
  } catch {
    return { line: undefined, message: 'an alias names an anchor that is not there, or there are too many aliases' };
  }
  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const lineOf = (path: KeyPath) => {
    let node: unknown = document.contents;
    let offset = isNode(node) ? node.range?.[0] : undefined;
    for (const step of path) {
      const found = findChild(resolve(node), step);
      if (!found) break;
      offset = found.offset ?? offset;
      node = found.node;
    }
    return offset === undefined ? undefined : lineAt(offset);
  };
  return { value, lineOf };
}

/** Finds an alias inside of the value that it names. Walking through such a value would never end. */
function selfAlias(document: YamlDocument): Alias | undefined {
  let found: Alias | undefined;
  visit(document, {
    Alias(_, alias, around) {
      const named = alias.resolve(document);
      if (!named || !around.includes(named)) return undefined;
      found = alias;
      return visit.BREAK;
    },
  });
  return found;
}

function findChild(node: unknown, step: string | number): { node: unknown; offset: number | undefined } | undefined {
  if (isMap(node)) {
    const pair = (node as YAMLMap).items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
    return pair && { node: pair.value, offset: (pair.key as Node).range?.[0] };
  }
  if (!isSeq(node)) return undefined;
  const item = node.items[Number(step)];
  return isNode(item) ? { node: item, offset: item.range?.[0] } : undefined;
}

function readJson(text: string): ParseResult {
  try {
    parseJson(text);
  } catch (error) {
    if (!isSkeinError(error, 'invalid_json')) throw error;
    return {
      line: text.slice(0, (error as JsonTextError).offset).split('\n').length,
      message: error.message.replace(/^Invalid JSON at offset \d+: /, ''),
    };
  }
  // Every JSON text is also YAML, and the YAML parser knows the lines.
  return readYaml(text);
}

function readToml(text: string): ParseResult {
  try {
    const value: unknown = parse(text);
    const lines = tomlLines(text);
    return {
      value,
      lineOf: (path) => {
        for (let length = path.length; length > 0; length--) {
          const line = lines.get(JSON.stringify(path.slice(0, length).map(String)));
          if (line !== undefined) return line;
        }
        return 1;
      },
    };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The lines below the first quote the file.
    const [message = ''] = error.message.split('\n');
    return { line: error.line, message: message.replace(/^Invalid TOML document: /, '') };
  }
}

/**
 * The line of every key in a valid TOML text, by the JSON text of its path; the parser does not tell. Keys inside values
 * (inline tables, arrays) have the line of the key around them.
 */
export function tomlLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const tables = new Map<string, number>();
  let table: readonly string[] = [];
  const add = (path: readonly string[], line: number) => {
    for (let length = 1; length <= path.length; length++) {
      const key = JSON.stringify(path.slice(0, length));
      if (!lines.has(key)) lines.set(key, line);
    }
  };
  let open: Open = NOTHING;
  for (const [index, line] of text.split('\n').entries()) {
    if (open !== NOTHING) {
      open = after(line, open);
      continue;
    }
    const header = /^\s*(\[\[?)(.*?)\]\]?\s*(#.*)?$/.exec(line);
    if (header) {
      const named = inLastElements(keysOf(header[2]!), tables);
      table = header[1] === '[[' ? [...named, String(count(named, tables))] : named;
      add(table, index + 1);
      continue;
    }
    const [key, rest] = splitAtEquals(line);
    if (rest === undefined) continue;
    add([...table, ...keysOf(key)], index + 1);
    open = after(rest, NOTHING);
  }
  return lines;
}

/** A value that continues on the next line: inside a multi-line string, or inside brackets. */
interface Open {
  readonly quote: string;
  readonly depth: number;
}
const NOTHING: Open = { quote: '', depth: 0 };

function after(line: string, open: Open): Open {
  let { quote, depth } = open;
  for (let at = 0; at < line.length; ) {
    const pattern = quote === '' ? /"""|'''|["'[\]{}#]/g : closing(quote);
    pattern.lastIndex = at;
    const token = pattern.exec(line)?.[0];
    if (token === undefined || (quote === '' && token === '#')) break;
    at = pattern.lastIndex;
    if (quote !== '') quote = token === quote ? '' : quote;
    else if (/["']/.test(token)) quote = token;
    else depth += /[[{]/.test(token) ? 1 : -1;
  }
  // Only multi-line strings continue after the end of a line.
  if (quote.length === 1) quote = '';
  return quote || depth > 0 ? { quote, depth } : NOTHING;
}

/** In literal strings a backslash has no special meaning. */
const closing = (quote: string) => new RegExp(quote.startsWith('"') ? `\\\\.|${quote}` : quote, 'g');

/** After `[[a]]`, `[a.b]` belongs to the last element of `a`. */
function inLastElements(keys: readonly string[], tables: ReadonlyMap<string, number>): readonly string[] {
  const path: string[] = [];
  for (const [index, key] of keys.entries()) {
    path.push(key);
    const last = tables.get(JSON.stringify(path));
    if (last !== undefined && index < keys.length - 1) path.push(String(last));
  }
  return path;
}

function count(path: readonly string[], tables: Map<string, number>): number {
  const key = JSON.stringify(path);
  const index = (tables.get(key) ?? -1) + 1;
  tables.set(key, index);
  return index;
}

function keysOf(text: string): string[] {
  return [...text.matchAll(/"((?:\\.|[^"\\])*)"|'([^']*)'|[A-Za-z0-9_-]+/g)].map(
    ([whole, double, single]) => double ?? single ?? whole,
  );
}

function splitAtEquals(line: string): [key: string, rest: string | undefined] {
  const match = /^((?:\s*(?:"(?:\\.|[^"\\])*"|'[^']*'|[A-Za-z0-9_-]+)\s*\.?)+)=(.*)$/s.exec(line);
  return match ? [match[1]!, match[2]!] : ['', undefined];
}
