import { FormatError } from './format-error.ts';
import type { SourceMessage } from './types.ts';

/** Parents before their children, otherwise in the order they came. */
export function inOrder(messages: readonly SourceMessage[]): SourceMessage[] {
  const below = new Map<string | undefined, SourceMessage[]>();
  const keys = new Set(messages.map(({ key }) => key));
  if (keys.size < messages.length) throw new FormatError('broken_tree', 'Two messages have the same id.');
  for (const message of messages) {
    const { key, parent } = message;
    if (parent !== undefined && !keys.has(parent))
      throw new FormatError('broken_tree', `The parent ${parent} of message ${key} is not there.`);
    const siblings = below.get(parent);
    if (siblings) siblings.push(message);
    else below.set(parent, [message]);
  }
  const ordered: SourceMessage[] = [];
  const open = (below.get(undefined) ?? []).toReversed();
  for (let next = open.pop(); next; next = open.pop()) {
    ordered.push(next);
    for (const child of (below.get(next.key) ?? []).toReversed()) open.push(child);
  }
  if (ordered.length < messages.length) throw new FormatError('broken_tree', 'Some messages are their own ancestors.');
  return ordered;
}
