import { nodeId, ROOT, sha256 } from '../src/store.ts';

/** One message in a plain tree of objects. */
export interface PlainNode {
  readonly id: string;
  readonly parent: PlainNode | undefined;
  readonly role: string;
  readonly text: string;
  readonly raw: string;
  readonly dialect: string;
  readonly children: Map<string, PlainNode>;
  readonly tags: Set<string>;
  removed: boolean;
}

export interface PlainMessage {
  readonly role: string;
  readonly text: string;
  readonly raw: string;
  readonly dialect: string;
}

/**
 * What a forest should do, written as simply as possible: nodes are objects that are taken out of one place and put
 * into another. It shares the id rule with the forest, and nothing else.
 */
export function createPlainForest() {
  const root = makeNode(undefined, { role: '', text: '', raw: '', dialect: '' });
  const redirects = new Map<string, string>();
  const bookmarks = new Map<string, string>();
  const threads = new Map<string, { head: string; deleted: boolean }>();

  function makeNode(parent: PlainNode | undefined, message: PlainMessage): PlainNode {
    const id = parent ? nodeId(parent.id, message.dialect, sha256(message.raw)) : ROOT;
    return { ...message, id, parent, children: new Map(), tags: new Set(), removed: false };
  }

  /** The child with this message, made when there is none. */
  function put(parent: PlainNode, message: PlainMessage): { node: PlainNode; isNew: boolean } {
    const made = makeNode(parent, message);
    const there = parent.children.get(made.id);
    if (there) return { node: there, isNew: false };
    parent.children.set(made.id, made);
    redirects.delete(made.id);
    return { node: made, isNew: true };
  }

  function* all(node: PlainNode = root): Generator<PlainNode> {
    for (const child of node.children.values()) {
      yield child;
      yield* all(child);
    }
  }

  const now = (id: string): string => {
    let at = id;
    while (redirects.has(at)) at = redirects.get(at)!;
    return at;
  };
  const find = (id: string): PlainNode | undefined => {
    const wanted = now(id);
    return wanted === ROOT ? root : [...all()].find((node) => node.id === wanted);
  };
  const isThere = (id: string) => [...all()].some((node) => node.id === id);
  const pathOf = (node: PlainNode): PlainNode[] => (node.parent ? [...pathOf(node.parent), node] : []);
  const isVisible = (node: PlainNode) => pathOf(node).every(({ removed }) => !removed);
  const isBelow = (node: PlainNode, top: PlainNode) => pathOf(node).includes(top);

  /** Puts a copy of a detached subtree below a node; where the same message is already, they become one. */
  function carry(old: PlainNode, onto: PlainNode, isOntoShown = true): PlainNode {
    const { node, isNew } = put(onto, old);
    const isShown = isOntoShown && !isNew && !node.removed;
    node.removed = old.removed && !isShown;
    for (const tag of old.tags) node.tags.add(tag);
    for (const child of old.children.values()) carry(child, node, isShown);
    return node;
  }
  const detach = (node: PlainNode) => node.parent!.children.delete(node.id);

  /** Old ids lead to where the same messages are below the new place. */
  function redirect(old: PlainNode, node: PlainNode): void {
    if (old.id !== node.id && !isThere(old.id)) redirects.set(old.id, node.id);
    for (const child of old.children.values()) {
      const id = nodeId(node.id, child.dialect, sha256(child.raw));
      redirect(child, node.children.get(id)!);
    }
  }

  return {
    root,
    bookmarks,
    threads,
    all,
    find,
    now,
    isVisible,
    isBelow,
    pathOf,
    append(parent: PlainNode, messages: readonly PlainMessage[]): PlainNode {
      if (messages.length > 0) parent.removed = false;
      let at = parent;
      for (const message of messages) {
        at = put(at, message).node;
        at.removed = false;
      }
      return at;
    },
    edit(node: PlainNode, message: PlainMessage): PlainNode {
      const { node: edited } = put(node.parent!, message);
      edited.removed = false;
      return edited;
    },
    split(node: PlainNode, first: PlainMessage, second: PlainMessage): void {
      const parent = node.parent!;
      detach(node);
      const { node: upper, isNew } = put(parent, first);
      const isUpperShown = !isNew && !upper.removed;
      upper.removed = node.removed && !isUpperShown;
      const { node: lower, isNew: isLowerNew } = put(upper, second);
      const isLowerShown = isUpperShown && !isLowerNew && !lower.removed;
      lower.removed = false;
      for (const tag of node.tags) lower.tags.add(tag);
      for (const child of node.children.values()) carry(child, lower, isLowerShown);
      redirect(node, lower);
    },
    graft(node: PlainNode, onto: PlainNode): void {
      if (node.parent === onto) return;
      detach(node);
      redirect(node, carry(node, onto));
    },
    removeKeeping(node: PlainNode): void {
      const parent = node.parent!;
      const children = [...node.children.values()];
      node.children.clear();
      let isTaken = false;
      const carried = children.map((child) => {
        const to = carry(child, parent);
        isTaken ||= to === node;
        return [child, to] as const;
      });
      if (!isTaken) node.removed = true;
      for (const [child, to] of carried) redirect(child, to);
    },
    restore(node: PlainNode): void {
      for (const one of pathOf(node)) one.removed = false;
    },
    gc(): void {
      for (const [id, thread] of threads) if (thread.deleted) threads.delete(id);
      const named = [...bookmarks.values(), ...[...threads.values()].map(({ head }) => head)];
      const kept = new Set(named.flatMap((id) => find(id) ?? []).flatMap(pathOf));
      for (const node of [...all()]) if (!isVisible(node) && !kept.has(node)) detach(node);
    },
  };
}

export type PlainForest = ReturnType<typeof createPlainForest>;
