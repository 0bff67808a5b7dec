import {
  type Alias,
  type Document,
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
} from 'yaml';
import type { KeyPath, Parsed } from './document.ts';

export function readYaml(text: string): Parsed {
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
      const found = childOf(resolve(node), step);
      if (!found) break;
      offset = found.offset ?? offset;
      node = found.node;
    }
    return offset === undefined ? undefined : lineAt(offset);
  };
  return { value, lineOf };
}

/** An alias inside of what it names. Whoever walks through such a value never comes to an end. */
function selfAlias(document: Document): Alias | undefined {
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

function childOf(node: unknown, step: string | number): { node: unknown; offset: number | undefined } | undefined {
  if (isMap(node)) {
    const pair = (node as YAMLMap).items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
    return pair && { node: pair.value, offset: (pair.key as Node).range?.[0] };
  }
  if (!isSeq(node)) return undefined;
  const item = node.items[Number(step)];
  return isNode(item) ? { node: item, offset: item.range?.[0] } : undefined;
}
