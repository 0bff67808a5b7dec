import type { Node } from '../api/types.ts';

/** Names of the tools whose results are missing at the end of a path. No request can be sent before they are there. */
export function listOpenCalls(path: readonly Pick<Node, 'role' | 'content'>[]): readonly string[] {
  const answered = new Set<string>();
  for (const node of path.toReversed()) {
    const blocks = node.content;
    const results = blocks.flatMap((block) => (block.type === 'tool-result' ? [block.toolCallId] : []));
    for (const id of results) answered.add(id);
    if (node.role === 'assistant')
      return blocks.flatMap((block) => (block.type === 'tool-use' && !answered.has(block.id) ? [block.name] : []));
    if (results.length === 0 || results.length < blocks.length) return [];
  }
  return [];
}
