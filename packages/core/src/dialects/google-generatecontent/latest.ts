import {
  isObject,
  type JsonObject,
  leafNode,
  mergeDelta,
  type Path,
  parseTree,
  printTree,
  type RecordNode,
  recordNode,
  textAt,
} from '../../json/index.ts';
import { isField } from './parts.ts';

/**
 * Members that every event says anew, of a response or of a candidate. The last that is not blank counts, lists
 * included: usage and grounding are sent whole. Only log probabilities join, their lists append.
 */
export class Latest {
  readonly #places = new Map<string, { readonly data: string; readonly path: Path }[]>();

  /** Takes the members of an object that stands in an event. Their texts are cut out only when they are asked for. */
  add(value: JsonObject, data: string, path: Path): void {
    const here = { data, path };
    for (const name in value) {
      const known = this.#places.get(name);
      if (known && isObject(value[name]) && isField(name, 'logprobsResult')) known.push(here);
      else if (!known || !isBlank(value[name])) this.#places.set(name, [here]);
    }
  }

  /** The text of a member, in either spelling of its name. */
  text(name: string): string | undefined {
    const key = [...this.#places.keys()].find((known) => isField(known, name));
    const texts = (this.#places.get(key ?? '') ?? []).map(({ data, path }) => textAt(data, [...path, key!])!);
    if (texts.length < 2) return texts[0];
    const joined = recordNode();
    for (const tree of texts.map((text) => parseTree(text)))
      if (tree.kind === 'record') mergeDelta(joined, tree, { replaced: new Set() });
    return printTree(joined);
  }

  value(name: string): unknown {
    const text = this.text(name);
    return text === undefined ? undefined : JSON.parse(text);
  }

  record(): RecordNode {
    const names = [...this.#places.keys()];
    return { kind: 'record', members: names.map((name) => ({ name, value: leafNode(this.text(name)!) })) };
  }
}

function isBlank(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}
