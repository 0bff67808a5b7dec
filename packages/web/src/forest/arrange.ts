import type { Thread } from '../api/types.ts';

export type Sorting = 'changed' | 'created' | 'title' | 'rating';

export interface Arrangement {
  readonly sort: Sorting;
  readonly tag?: string;
  /** At least. */
  readonly rating?: number;
  /** Words of the title or the note. */
  readonly text?: string;
}

/** The threads that are wanted, as they are wanted. */
export function arrange(threads: readonly Thread[], { sort, tag, rating, text = '' }: Arrangement): readonly Thread[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isWanted = (thread: Thread) => {
    const said = `${thread.title} ${thread.note ?? ''}`.toLowerCase();
    return (
      (tag === undefined || thread.tags.includes(tag)) &&
      (rating === undefined || (thread.rating ?? Number.NEGATIVE_INFINITY) >= rating) &&
      words.every((word) => said.includes(word))
    );
  };
  return threads.filter(isWanted).sort(COMPARE[sort]);
}

const titles = new Intl.Collator('en', { numeric: true });

const COMPARE: Readonly<Record<Sorting, (a: Thread, b: Thread) => number>> = {
  changed: (a, b) => b.updatedAt - a.updatedAt,
  created: (a, b) => b.createdAt - a.createdAt,
  title: (a, b) => titles.compare(a.title, b.title),
  rating: (a, b) => (b.rating ?? 0) - (a.rating ?? 0) || b.updatedAt - a.updatedAt,
};
