import {
  getMember,
  leafNode,
  listNode,
  MAX_DEPTH,
  parseJson,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  type Tree,
  textNode,
} from '../../json/index.ts';
import { field, fieldText, stringField } from './fields.ts';

/**
 * Arguments that were streamed value by value, each with the path of its place; every leaf keeps its exact text. A
 * list of what was received when that has no place in an object.
 */
export function joinedArguments(pieces: readonly string[]): string {
  const root = recordNode();
  return pieces.every((piece) => addPiece(root, piece)) ? printTree(root) : `[${pieces.join(',')}]`;
}

function addPiece(root: RecordNode, piece: string): boolean {
  const value = parseJson(piece);
  const leaf = leafOf(value, piece);
  const steps = stepsOf(stringField(value, 'jsonPath') ?? '');
  return !leaf || (steps.length > 0 && placed(root, steps, leaf) !== undefined);
}

function leafOf(value: unknown, piece: string): Tree | undefined {
  const text = fieldText(piece, value, 'stringValue');
  if (text?.startsWith('"')) return textNode(text.slice(1, -1));
  const scalar = fieldText(piece, value, 'numberValue') ?? fieldText(piece, value, 'boolValue');
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
