import {
  elementTexts,
  getMember,
  isObject,
  type JsonObject,
  type ListNode,
  leafNode,
  listNode,
  MAX_DEPTH,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  skipSpace,
  type Tree,
  textNode,
} from '../../json/index.ts';
import { field, fieldText } from './fields.ts';

type Step = string | number;

/** Arguments that are streamed value by value, each with the path of its place. Every leaf keeps its exact text. */
export class PartialArguments {
  readonly #root = recordNode();
  readonly #received: string[] = [];
  #placed = true;

  /** Takes the next `partialArgs`: by value, and the text of the same list. */
  add(values: readonly unknown[], text: string): void {
    elementTexts(text, skipSpace(text, 0)).forEach((element, index) => {
      const value = values[index];
      this.#received.push(element);
      if (!isObject(value)) this.#placed = false;
      else if (this.#placed) this.#placed = this.#place(value, element);
    });
  }

  /** The arguments as far as they came; a list of what was received when that has no place in an object. */
  text(): string {
    return this.#placed ? printTree(this.#root) : `[${this.#received.join(',')}]`;
  }

  #place(value: JsonObject, element: string): boolean {
    const leaf = leafOf(value, element);
    if (!leaf) return true;
    const path = field(value, 'jsonPath');
    const steps = typeof path === 'string' ? stepsOf(path) : undefined;
    return steps !== undefined && place(this.#root, steps, leaf);
  }
}

function leafOf(value: JsonObject, element: string): Tree | undefined {
  const piece = typeof field(value, 'stringValue') === 'string' ? fieldText(element, 0, 'stringValue') : undefined;
  if (piece !== undefined) return textNode(piece.slice(1, -1));
  const scalar = fieldText(element, 0, 'numberValue') ?? fieldText(element, 0, 'boolValue');
  if (scalar !== undefined) return leafNode(scalar);
  return 'nullValue' in value || 'null_value' in value ? leafNode('null') : undefined;
}

const STEP = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** `$.a[0]['b c']` → `a`, 0, `b c` */
function stepsOf(path: string): readonly Step[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: Step[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path);
    if (!found || steps.length >= MAX_DEPTH) return undefined;
    const [, name, index, single, double] = found;
    steps.push(index === undefined ? (name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')) : Number(index));
  }
  return steps.length > 0 ? steps : undefined;
}

/** Puts a leaf in its place; text joins the text that is there. False where the place cannot be. */
function place(root: RecordNode, steps: readonly Step[], leaf: Tree): boolean {
  let at: Tree = root;
  for (const [depth, step] of steps.entries()) {
    if (at.kind !== (typeof step === 'number' ? 'list' : 'record')) return false;
    const container = at as RecordNode | ListNode;
    const before = childOf(container, step);
    if (depth === steps.length - 1) return put(container, step, joined(before, leaf));
    const next: Tree = before ?? (typeof steps[depth + 1] === 'number' ? listNode() : recordNode());
    if (!before && !put(container, step, next)) return false;
    at = next;
  }
  return false;
}

function childOf(container: RecordNode | ListNode, step: Step): Tree | undefined {
  if (container.kind === 'record') return getMember(container, String(step));
  return container.items[Number(step)];
}

function put(container: RecordNode | ListNode, step: Step, value: Tree): boolean {
  if (container.kind === 'record') setMember(container, String(step), value);
  else if (Number(step) > container.items.length) return false;
  else container.items[Number(step)] = value;
  return true;
}

function joined(before: Tree | undefined, leaf: Tree): Tree {
  if (before?.kind !== 'text' || leaf.kind !== 'text') return leaf;
  before.pieces.push(...leaf.pieces);
  return before;
}
