import {
  isObject,
  type JsonObject,
  leafNode,
  mergeDelta,
  overlaid,
  type Path,
  parseTree,
  type RecordNode,
  recordNode,
  setMember,
  type Tree,
  textAt,
} from '../../json/index.ts';
import { RULE } from './stream-rule.ts';

interface Place {
  readonly data: string;
  readonly path: Path;
}

/**
 * What events say around their deltas: the latest value of each member counts, objects member by member; only log
 * probabilities join. The events are remembered, and the texts cut out at the end.
 */
export class Latest {
  readonly #held = new Map<string, { value: unknown; places: Place[] }>();

  /** Takes the members of an object that stands in an event; of what the message is made of (`holder`) only the place. */
  add(object: JsonObject, data: string, path: Path, holder: string): void {
    const here = { data, path };
    for (const name in object) {
      const held = this.#held.get(name);
      const value = name === holder ? null : object[name];
      if (!held) this.#held.set(name, { value, places: [here] });
      else if (value !== held.value && value !== null && value !== '') {
        if (!isObject(held.value) || !isObject(value)) held.places = [here];
        else if (name === 'logprobs' || !covers(value, held.value)) held.places.push(here);
        else held.places[held.places.length - 1] = here;
        held.value = value;
      }
    }
  }

  record(): RecordNode {
    const record = recordNode();
    for (const [name, { places }] of this.#held) {
      const texts = places.map(({ data, path }) => textAt(data, [...path, name])!);
      const join = (before: Tree, later: Tree): Tree =>
        name === 'logprobs' ? joined(before, later) : overlaid(before, later, false);
      const tree = texts.length > 1 ? texts.map((text) => parseTree(text)).reduce(join) : leafNode(texts[0]!);
      setMember(record, name, tree);
    }
    return record;
  }
}

/** Whether a value has all that the one before it has. */
function covers(value: unknown, before: unknown): boolean {
  if (!isObject(before)) return value !== null;
  return isObject(value) && Object.keys(before).every((name) => name in value && covers(value[name], before[name]));
}

function joined(before: Tree, later: Tree): Tree {
  mergeDelta(before as RecordNode, later as RecordNode, RULE);
  return before;
}
