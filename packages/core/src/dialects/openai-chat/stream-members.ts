import {
  getMember,
  isObject,
  type JsonObject,
  leafNode,
  type Path,
  parseTree,
  type RecordNode,
  setMember,
  type Tree,
  textAt,
} from '../../json/index.ts';

interface Place {
  readonly data: string;
  readonly path: Path;
}

interface Held {
  value: unknown;
  latest: Place;
  /** Events with members of an object that later ones no longer have. */
  readonly earlier: Place[];
}

/**
 * What events say around their deltas: the latest value of each member counts, objects member by member. Only the
 * event is remembered; its text is cut out at the end.
 */
export class LatestMembers {
  readonly #held = new Map<string, Held>();

  /** `path` leads to the object whose member it is. `null` and blank strings never replace a value. */
  set(name: string, value: unknown, data: string, path: Path): void {
    const held = this.#held.get(name);
    if (!held) this.#held.set(name, { value, latest: { data, path }, earlier: [] });
    else if (value !== null && value !== '') {
      if (isObject(held.value) && isObject(value) && !covers(value, held.value)) held.earlier.push(held.latest);
      held.value = value;
      held.latest = { data, path };
    }
  }

  names(): Iterable<string> {
    return this.#held.keys();
  }

  tree(name: string): Tree | undefined {
    const held = this.#held.get(name);
    if (!held) return undefined;
    const textOf = ({ data, path }: Place): string => textAt(data, [...path, name])!;
    if (held.earlier.length === 0) return leafNode(textOf(held.latest));
    return [...held.earlier, held.latest].map((place) => parseTree(textOf(place))).reduce(overlaid);
  }
}

function covers(value: JsonObject, before: JsonObject): boolean {
  for (const name in before) {
    if (!(name in value)) return false;
    const [inner, innerBefore] = [value[name], before[name]];
    if (isObject(innerBefore) && isObject(inner) && !covers(inner, innerBefore)) return false;
  }
  return true;
}

function overlaid(before: Tree, later: Tree): Tree {
  if (before.kind !== 'record' || later.kind !== 'record') return isNull(later) ? before : later;
  const result: RecordNode = { kind: 'record', members: before.members.map((member) => ({ ...member })) };
  for (const { name, value } of later.members) {
    const known = getMember(result, name);
    setMember(result, name, known ? overlaid(known, value) : value);
  }
  return result;
}

function isNull(tree: Tree): boolean {
  return tree.kind === 'leaf' && tree.text === 'null';
}
