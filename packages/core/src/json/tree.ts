import { endOfString, endOfValue, OPEN_BRACE, OPEN_BRACKET, QUOTE, skipSpace } from './scan.ts';
import { elementsOf, membersOf } from './slice.ts';

/**
 * A JSON text taken apart so that pieces can be joined to it, every leaf in its exact spelling. Streams are
 * assembled in this form.
 */
export type Tree = TextNode | LeafNode | ListNode | RecordNode;

/** A string: pieces of the text between its quotes, escapes and all. */
export interface TextNode {
  readonly kind: 'text';
  readonly pieces: string[];
}

/** A number, `true`, `false` or `null`, or any value that is kept as one text. */
export interface LeafNode {
  readonly kind: 'leaf';
  readonly text: string;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: Tree[];
}

export interface TreeMember {
  readonly name: string;
  /** The key's own spelling, quotes and all, where it has escapes. */
  readonly key?: string | undefined;
  value: Tree;
}

export interface RecordNode {
  readonly kind: 'record';
  readonly members: TreeMember[];
}

export const textNode = (...pieces: string[]): TextNode => ({ kind: 'text', pieces });
export const leafNode = (text: string): LeafNode => ({ kind: 'leaf', text });
export const listNode = (items: Tree[] = []): ListNode => ({ kind: 'list', items });
export const recordNode = (): RecordNode => ({ kind: 'record', members: [] });

export function parseTree(text: string, start = skipSpace(text, 0)): Tree {
  const code = text.charCodeAt(start);
  if (code === QUOTE) return textNode(text.slice(start + 1, endOfString(text, start) - 1));
  if (code === OPEN_BRACKET) return listNode(elementsOf(text, start).map((item) => parseTree(text, item.start)));
  if (code !== OPEN_BRACE) return leafNode(text.slice(start, endOfValue(text, start)));
  const members = membersOf(text, start).map(({ name, keyStart, start: at }): TreeMember => {
    const key = text.slice(keyStart, endOfString(text, keyStart));
    return { name, key: key.includes('\\') ? key : undefined, value: parseTree(text, at) };
  });
  return { kind: 'record', members };
}

export function printTree(tree: Tree): string {
  switch (tree.kind) {
    case 'text':
      return `"${tree.pieces.join('')}"`;
    case 'leaf':
      return tree.text;
    case 'list':
      return `[${tree.items.map(printTree).join(',')}]`;
    case 'record':
      return `{${tree.members.map(({ name, key, value }) => `${key ?? JSON.stringify(name)}:${printTree(value)}`).join(',')}}`;
  }
}

export function getMember(record: RecordNode, name: string): Tree | undefined {
  return record.members.findLast((member) => member.name === name)?.value;
}

/** Puts a value in the place of the member of that name, or at the end. */
export function setMember(record: RecordNode, name: string, value: Tree, key?: string): void {
  const member = record.members.findLast((candidate) => candidate.name === name);
  if (member) member.value = value;
  else record.members.push({ name, key, value });
}

/** The member of that name and of the kind that `make` makes, which is put there if there is none. */
export function memberIn<T extends Tree>(record: RecordNode, name: string, make: () => T): T {
  const made = make();
  const found = getMember(record, name);
  if (found?.kind === made.kind) return found as T;
  setMember(record, name, made);
  return made;
}
