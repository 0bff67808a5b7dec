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

/** A place in a text: the line and the column of its first character, both counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The value of a file, with the place of every key. */
export interface Document {
  readonly file: string;
  readonly value: unknown;
  /** The place of a key, or of the nearest key around it. */
  placeOf(path: KeyPath): TextPlace | undefined;
}

/** A parsed text, or the place of the syntax error. Errors never quote the file, because it may contain a secret. */
type ParseResult =
  | { readonly value: unknown; readonly placeOf: Document['placeOf'] }
  | { readonly place: TextPlace | undefined; readonly message: string };

/** Parses a YAML, TOML or JSON text, by the extension of its file. */
export function readDocument(file: string, text: string): Document | ConfigProblem {
  const form = FORMS[extname(file).toLowerCase()] ?? FORMS['.yaml']!;
  const parsed = form.read(text);
  if ('value' in parsed) return { file, ...parsed };
  const { place, message } = parsed;
  return {
    severity: 'error',
    code: 'syntax',
    file,
    line: place?.line,
    column: place?.column,
    key: '',
    message: `${form.name}: ${message}.`,
    fix: `Mend the ${form.name} in this place; nothing of the file is used until then.`,
  };
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
  const placeAt = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (error) return { place: placeAt(error.pos[0]), message: error.message };
  const loop = selfAlias(document);
  if (loop)
    return {
      place: placeAt(loop.range![0]),
      message: 'this alias names what it stands in, which contains itself then',
    };
  let value: unknown;
  try {
    value = document.toJS();
  } catch {
    return { place: undefined, message: 'an alias names an anchor that is not there, or there are too many aliases' };
  }
  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const placeOf = (path: KeyPath) => {
    let node: unknown = document.contents;
    let offset = isNode(node) ? node.range?.[0] : undefined;
    for (const step of path) {
      const found = findChild(resolve(node), step);
      if (!found) break;
      offset = found.offset ?? offset;
      node = found.node;
    }
    return offset === undefined ? undefined : placeAt(offset);
  };
  return { value, placeOf };
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
    const before = text.slice(0, (error as JsonTextError).offset).split('\n');
    return {
      place: { line: before.length, column: before.at(-1)!.length + 1 },
      message: error.message.replace(/^Invalid JSON at offset \d+: /, ''),
    };
  }
  // Every JSON text is also YAML, and the YAML parser knows the places.
  return readYaml(text);
}

function readToml(text: string): ParseResult {
  try {
    const value: unknown = parse(text);
    const places = tomlPlaces(text);
    return {
      value,
      placeOf: (path) => {
        for (let length = path.length; length > 0; length--) {
          const place = places.get(JSON.stringify(path.slice(0, length).map(String)));
          if (place !== undefined) return place;
        }
        return { line: 1, column: 1 };
      },
    };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The lines below the first quote the file.
    const [message = ''] = error.message.split('\n');
    return {
      place: { line: error.line, column: error.column },
      message: message.replace(/^Invalid TOML document: /, ''),
    };
  }
}

/**
 * The place of every key in a valid TOML text, by the JSON text of its path; the parser does not tell. Keys inside values
 * (inline tables, arrays) have the place of the key around them.
 */
export function tomlPlaces(text: string): ReadonlyMap<string, TextPlace> {
  const places = new Map<string, TextPlace>();
  const tables = new Map<string, number>();
  let table: readonly string[] = [];
  const add = (path: readonly string[], place: TextPlace) => {
    for (let length = 1; length <= path.length; length++) {
      const key = JSON.stringify(path.slice(0, length));
      if (!places.has(key)) places.set(key, place);
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
      add(table, { line: index + 1, column: line.search(/[^\s[]/) + 1 });
      continue;
    }
    const [key, rest] = splitAtEquals(line);
    if (rest === undefined) continue;
    add([...table, ...keysOf(key)], { line: index + 1, column: line.search(/\S/) + 1 });
    open = after(rest, NOTHING);
  }
  return places;
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
