/**
 * The line of every key in a valid TOML text, by the JSON text of its path. The parser does not tell. Keys inside
 * values (inline tables, arrays) are not looked for: they stand where the key around them stands.
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

/** A value that goes on in the next line: inside a long string, or inside brackets. */
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
  // Only long strings go over a line's end.
  if (quote.length === 1) quote = '';
  return quote || depth > 0 ? { quote, depth } : NOTHING;
}

/** In literal strings a backslash is nothing special. */
const closing = (quote: string) => new RegExp(quote.startsWith('"') ? `\\\\.|${quote}` : quote, 'g');

/** `[a.b]` inside of `[[a]]` is about the last element of `a`. */
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
