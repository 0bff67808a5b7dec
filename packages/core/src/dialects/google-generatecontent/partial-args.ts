import {
  elementTexts,
  getMember,
  leafNode,
  listNode,
  MAX_DEPTH,
  parseJson,
  printTree,
  recordNode,
  setMember,
  type Tree,
  textNode,
} from '../../json/index.ts';
import { field, fieldText, stringField } from './fields.ts';

/** Arguments that are streamed value by value, each with the path of its place. Every leaf keeps its exact text. */
export class PartialArguments {
  readonly #root = recordNode();
  readonly #received: string[] = [];
  #placed = true;

  /** Takes the text of the next `partialArgs`. */
  add(list: string): void {
    for (const text of elementTexts(list)) {
      const value = parseJson(text);
      const leaf = leafOf(value, text);
      const steps = stepsOf(stringField(value, 'jsonPath') ?? '');
      this.#received.push(text);
      if (leaf) this.#placed &&= steps.length > 0 && placed(this.#root, steps, leaf) !== undefined;
    }
  }

  /** The arguments as far as they came; a list of what was received when that has no place in an object. */
  text(): string {
    return this.#placed ? printTree(this.#root) : `[${this.#received.join(',')}]`;
  }
}

function leafOf(value: unknown, text: string): Tree | undefined {
  if (stringField(value, 'stringValue') !== undefined)
    return textNode(fieldText(text, value, 'stringValue')!.slice(1, -1));
  const scalar = fieldText(text, value, 'numberValue') ?? fieldText(text, value, 'boolValue');
  if (scalar !== undefined) return leafNode(scalar);
  return field(value, 'nullValue') === undefined ? undefined : leafNode('null');
}

const STEP = /\.([^.[\]]+)|\[(\d{1,9})\]|\[(['"])((?:\\.|(?!\3)[^\\])*)\3\]/g;

/** `$.a[0]['b c']` → `a`, 0, `b c`; nothing when it is no such path. */
function stepsOf(path: string): (string | number)[] {
  const found = [...path.matchAll(STEP)];
  if (found.length > MAX_DEPTH || `$${found.map(([step]) => step).join('')}` !== path) return [];
  return found.map(([, name, index, , quoted]) => (index ? Number(index) : (name ?? quoted!.replace(/\\(.)/g, '$1'))));
}

/** The tree with a leaf in its place, text behind the text that is there; undefined where there can be no such place. */
function placed(tree: Tree | undefined, [step, ...more]: readonly (string | number)[], leaf: Tree): Tree | undefined {
  if (step === undefined)
    return tree?.kind === 'text' && leaf.kind === 'text' ? textNode(...tree.pieces, ...leaf.pieces) : leaf;
  if (typeof step === 'number') {
    const list = tree ?? listNode();
    if (list.kind !== 'list' || step > list.items.length) return undefined;
    const item = placed(list.items[step], more, leaf);
    if (item) list.items[step] = item;
    return item && list;
  }
  const record = tree ?? recordNode();
  if (record.kind !== 'record') return undefined;
  const value = placed(getMember(record, step), more, leaf);
  if (value) setMember(record, step, value);
  return value && record;
}
