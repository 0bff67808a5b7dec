import type { Node, ToolResult } from '../../api/types.ts';

export interface Pairs {
  /** The results of a message's calls, by the id of the call. */
  readonly results?: ReadonlyMap<string, ToolResult>;
  /** The names of the tools, by call, whose results in this message are shown with the call. */
  readonly shown?: ReadonlyMap<string, string>;
}

const NONE: Pairs = {};
const known = new WeakMap<
  Node,
  { readonly after: readonly Node[]; readonly results: ReadonlyMap<string, ToolResult> }
>();

/**
 * Pairs calls with results. A result belongs to the last message before it that made the call, without a model's message in
 * between. The same nodes give the same maps, so that nothing is rendered again.
 */
export function pairCalls(path: readonly Node[]): readonly Pairs[] {
  const pairs: Pairs[] = path.map(() => NONE);
  for (const [at, node] of path.entries()) {
    const names = listCalls(node);
    if (names.size === 0) continue;
    const after = path.slice(at + 1, behind(path, at + 1));
    pairs[at] = { results: pairResults(node, after) };
    for (const [offset, one] of after.entries()) {
      const shown = resultBlocks(one).filter(({ toolCallId }) => names.has(toolCallId));
      if (shown.length > 0)
        pairs[at + 1 + offset] = { shown: new Map(shown.map(({ toolCallId: id }) => [id, names.get(id)!])) };
    }
  }
  return pairs;
}

/** The index of the next message of a model. */
function behind(path: readonly Node[], from: number): number {
  const next = path.findIndex(({ role }, index) => index >= from && role === 'assistant');
  return next < 0 ? path.length : next;
}

function pairResults(node: Node, after: readonly Node[]): ReadonlyMap<string, ToolResult> {
  const before = known.get(node);
  if (before && before.after.length === after.length && before.after.every((one, index) => one === after[index]))
    return before.results;
  const results = new Map(after.flatMap((one) => resultBlocks(one).map((block) => [block.toolCallId, block] as const)));
  known.set(node, { after, results });
  return results;
}

function listCalls(node: Node): ReadonlyMap<string, string> {
  return new Map(node.content.flatMap((block) => (block.type === 'tool-use' ? [[block.id, block.name] as const] : [])));
}

function resultBlocks(node: Node): readonly ToolResult[] {
  return node.content.flatMap((block) => (block.type === 'tool-result' ? [block] : []));
}
