import {
  getMember,
  type ListNode,
  listNode,
  type Path,
  parseTree,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  type TextNode,
  type Tree,
  textNode,
} from '../../json/index.ts';

/**
 * One output item while it arrives. Its text is that of `output_item.done`; until that comes, what
 * `output_item.added` announced with the pieces joined to it.
 */
export class StreamItem {
  readonly index: number;
  readonly id: unknown;
  readonly isCustom: boolean;
  /** Whether its text or arguments have been handed out while they arrived. */
  hasSpoken = false;
  #added: string | undefined;
  #tree: RecordNode | undefined;
  #done: string | undefined;

  constructor(index: number, id: unknown, isCustom: boolean, added: string | undefined) {
    this.index = index;
    this.id = id;
    this.isCustom = isCustom;
    this.#added = added;
  }

  get isAnnounced(): boolean {
    return this.#added !== undefined;
  }

  get isDone(): boolean {
    return this.#done !== undefined;
  }

  complete(text: string): void {
    this.#done = text;
    this.#tree = undefined;
  }

  get text(): string {
    return this.#done ?? (this.#tree ? printTree(this.#tree) : (this.#added ?? '{}'));
  }

  /** The string at a path, made if there is none. Lists grow by one at most: places that never came are not filled. */
  stringAt(path: Path, type: string, part: string | undefined): TextNode {
    let node: Tree = this.#record(type);
    path.forEach((step, depth) => {
      const make = (): Tree => (depth === path.length - 1 ? textNode() : emptyFor(path[depth + 1]!, part));
      node = typeof step === 'number' ? elementOf(node, step, make) : memberOf(node, step, make);
    });
    return node as Tree as TextNode;
  }

  /** A part of `content` or `summary`. One that is only announced does not replace what there is. */
  setPart(list: string, index: number, part: Tree, isWhole: boolean, type: string): void {
    const parts = memberOf(this.#record(type), list, () => listNode()) as ListNode;
    if (index >= parts.items.length) parts.items.push(part);
    else if (isWhole) parts.items[index] = part;
  }

  /** Adds to a list of a content part, such as `annotations` or `logprobs`. */
  append(index: number, list: string, values: readonly Tree[], type: string): void {
    const parts = memberOf(this.#record(type), 'content', () => listNode());
    const part = elementOf(parts, index, () => emptyFor('text', 'output_text'));
    const target = memberOf(part, list, () => listNode());
    if (target.kind === 'list') target.items.push(...values);
  }

  #record(type: string): RecordNode {
    if (this.#tree) return this.#tree;
    const tree = parseTree(this.#added ?? announcement(type));
    this.#tree = tree.kind === 'record' ? tree : recordNode();
    return this.#tree;
  }
}

function announcement(type: string): string {
  return type === 'message'
    ? '{"type":"message","role":"assistant","status":"in_progress","content":[]}'
    : `{"type":${JSON.stringify(type)},"status":"in_progress"}`;
}

/** What holds the next step of a path: a list for a number, a record for a name. */
function emptyFor(next: string | number, part: string | undefined): Tree {
  if (typeof next === 'number') return listNode();
  const record = recordNode();
  if (part !== undefined) setMember(record, 'type', textNode(part));
  return record;
}

function memberOf(node: Tree, name: string, make: () => Tree): Tree {
  if (node.kind !== 'record') return make();
  const found = getMember(node, name);
  if (found && !(found.kind === 'leaf' && found.text === 'null')) return found;
  const made = make();
  setMember(node, name, made);
  return made;
}

function elementOf(node: Tree, index: number, make: () => Tree): Tree {
  if (node.kind !== 'list') return make();
  const found = node.items[index];
  if (found) return found;
  const made = make();
  node.items.push(made);
  return made;
}
