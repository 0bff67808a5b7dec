import { getMember, type ListNode, type RecordNode, setMember, type Tree } from './tree.ts';

/** What a dialect knows about its own streamed fields, by member name. */
export interface MergeRule {
  /** Strings that are sent whole, so that a later one replaces an earlier one (an empty one does not). */
  readonly replaced: ReadonlySet<string>;
  /** The element of a list that a streamed one continues, where its `index` alone does not tell; null when it is new. */
  readonly continued?: (list: string, items: readonly Tree[], item: RecordNode) => RecordNode | null | undefined;
}

/**
 * Joins a streamed delta to what came before it. Strings join; objects merge member by member; elements that carry
 * an integer `index` merge with the element of the same index, others append; `null` never replaces a value;
 * anything else replaces.
 */
export function mergeDelta(target: RecordNode, delta: RecordNode, rule: MergeRule): void {
  for (const { name, key, value } of delta.members) {
    const before = getMember(target, name);
    if (before === undefined) setMember(target, name, value.kind === 'list' ? started(name, value, rule) : value, key);
    else if (!isNull(value)) setMember(target, name, joined(name, before, value, rule));
  }
}

function joined(name: string, before: Tree, value: Tree, rule: MergeRule): Tree {
  if (value.kind === 'text' && before.kind === 'text') {
    if (rule.replaced.has(name)) return value.pieces.join('') === '' ? before : value;
    for (const piece of value.pieces) before.pieces.push(piece);
    return before;
  }
  if (value.kind === 'record' && before.kind === 'record') {
    mergeDelta(before, value, rule);
    return before;
  }
  if (value.kind !== 'list') return value;
  if (before.kind !== 'list') return started(name, value, rule);
  addItems(name, before, value, rule);
  return before;
}

function started(name: string, value: ListNode, rule: MergeRule): ListNode {
  const list: ListNode = { kind: 'list', items: [] };
  addItems(name, list, value, rule);
  return list;
}

/** Elements that were placed by `index`, beside the list they belong to. */
const placedItems = new WeakMap<ListNode, Map<string, RecordNode>>();

function addItems(name: string, list: ListNode, value: ListNode, rule: MergeRule): void {
  const byIndex = placedItems.get(list) ?? new Map<string, RecordNode>();
  placedItems.set(list, byIndex);
  for (const item of value.items) {
    if (item.kind !== 'record') {
      list.items.push(item);
      continue;
    }
    const index = indexOf(item);
    const told = rule.continued?.(name, list.items, item);
    const same = told === undefined && index !== undefined ? byIndex.get(index) : told;
    if (same) mergeDelta(same, index === undefined ? item : withoutIndex(item), rule);
    else {
      list.items.push(item);
      if (index !== undefined) byIndex.set(index, item);
    }
  }
}

function withoutIndex(record: RecordNode): RecordNode {
  return { kind: 'record', members: record.members.filter((member) => member.name !== 'index') };
}

function indexOf(record: RecordNode): string | undefined {
  const index = getMember(record, 'index');
  return index?.kind === 'leaf' && /^\d+$/.test(index.text) ? index.text : undefined;
}

/** A later value over an earlier one: objects member by member, anything else whole. Whether `null` says something, too, is told. */
export function overlaid(before: Tree, later: Tree, nullCounts: boolean): Tree {
  if (before.kind !== 'record' || later.kind !== 'record') return !nullCounts && isNull(later) ? before : later;
  for (const { name, key, value } of later.members) {
    const known = getMember(before, name);
    setMember(before, name, known ? overlaid(known, value, nullCounts) : value, key);
  }
  return before;
}

function isNull(tree: Tree): boolean {
  return tree.kind === 'leaf' && tree.text === 'null';
}
