import { getMember, type MergeRule, printTree, type RecordNode, type Tree } from '../../json/index.ts';

/** How the deltas of this protocol join: these strings come whole, all others in pieces. */
export const RULE: MergeRule = {
  replaced: new Set(['role', 'id', 'type', 'name', 'format', 'signature', 'channel']),
  continued(list, items, item) {
    if (list === 'reasoning_details') return items.findLast((before) => isSameDetail(before, item)) ?? null;
    const last = items.at(-1);
    return (list === 'content' || list === 'thinking') && last && isSamePart(last, item) ? last : undefined;
  },
};

/** OpenRouter gives a summary and its ciphertext the same index, so index, type and id must agree. */
function isSameDetail(before: Tree, item: RecordNode): before is RecordNode {
  const isSame = (name: string): boolean => said(before, name) === said(item, name);
  return (
    said(item, 'index') !== undefined &&
    isSame('index') &&
    isSame('type') &&
    (isSame('id') || said(item, 'id') === undefined || said(before, 'id') === undefined)
  );
}

/** Mistral streams lists of parts: adjacent plain texts are one, and a thought goes on until it is closed. */
function isSamePart(before: Tree, item: RecordNode): before is RecordNode {
  const type = said(item, 'type');
  if (before.kind !== 'record' || said(before, 'type') !== type) return false;
  return type === '"text"'
    ? before.members.length === 2 && item.members.length === 2
    : type === '"thinking"' && said(before, 'closed') !== 'true';
}

function said(tree: Tree, name: string): string | undefined {
  const value = tree.kind === 'record' ? getMember(tree, name) : undefined;
  const text = value && printTree(value);
  return text === 'null' ? undefined : text;
}
