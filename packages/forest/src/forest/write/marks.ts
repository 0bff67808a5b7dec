import { type ForestContext, makeRef } from '../context.ts';
import { ForestError } from '../errors.ts';
import type { Forest } from '../forest.ts';
import { MOST_RATING, readMarks } from '../read/read-nodes.ts';
import { resolveNode } from '../read/resolve.ts';

/** The methods of a forest that mark a node. */
export function createMarks(context: ForestContext): Pick<Forest, 'tag' | 'note' | 'rate'> {
  const set = async (id: string, values: Readonly<Record<string, unknown>>) => {
    const node = await resolveNode(context.store, id);
    // Read first, so that the new values get later stamps.
    await readMarks(context.store, [node.id]);
    const refs = Object.entries(values).map(([name, value]) => makeRef(context, 'node', node.id, name, value));
    if (refs.length > 0) await context.store.append(refs);
  };
  return {
    tag: async (id, tags) => set(id, tagValues(tags)),
    note: async (id, text) => set(id, { note: noteValue(text) }),
    rate: async (id, rating) => set(id, { rating: ratingValue(rating) }),
  };
}

/** Tags as they are stored. Refuses names that cannot be shown. */
export function tagValues(tags: { readonly [tag: string]: boolean }): Record<string, boolean> {
  const entries = Object.entries(tags);
  for (const [tag] of entries)
    if (tag.trim() === '' || tag.length > 200 || /\p{Cc}/u.test(tag))
      throw new ForestError('bad_name', tag, `"${tag.slice(0, 60)}" is not a tag: give 1 to 200 printable characters.`);
  return Object.fromEntries(entries.map(([tag, isOn]) => [`tag:${tag}`, isOn]));
}

export function noteValue(text: string | null): string | false {
  return text ?? false;
}

export function ratingValue(rating: number | null): number | false {
  if (rating !== null && !(Math.abs(rating) <= MOST_RATING))
    throw new ForestError(
      'bad_name',
      String(rating),
      `${rating} is not a rating: give a number from -5 (very bad) to 5 (very good), or null for none.`,
    );
  return rating ?? false;
}
