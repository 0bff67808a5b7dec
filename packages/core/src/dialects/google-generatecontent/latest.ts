import { isObject, type JsonObject, type MergeRule, mergeDelta, type Path, parseTree, recordNode, type Tree, textAt } from '../../json/index.ts';

const APPENDED = /^logprobs_?result$/i;
const RULE: MergeRule = { replaced: new Set(), placed: new Set() };

interface Place {
  readonly data: string;
  readonly path: Path;
}

/**
 * Members of something that every event says anew. The last that is not blank counts, lists included: usage and
 * grounding are sent whole. Only log probabilities merge, their lists append. Texts are cut out at the end.
 */
export class Latest {
  readonly #places = new Map<string, Place[]>();

  add(value: JsonObject, data: string, path: Path): void {
    const here = { data, path };
    for (const name in value) {
      const known = this.#places.get(name);
      if (known && APPENDED.test(name) && isObject(value[name])) known.push(here);
      else if (!known || !isBlank(value[name])) this.#places.set(name, [here]);
    }
  }

  members(): readonly { readonly name: string; readonly value: Tree }[] {
    return [...this.#places].map(([name, places]) => {
      const [first, ...more] = places.map(({ data, path }) => parseTree(textAt(data, [...path, name])!));
      const merged = recordNode();
      // TODO
      return { name, value: first! };
    });
  }
}
