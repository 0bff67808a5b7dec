import type { Thread } from '../api/types.ts';

/** The tags that the page shows as a state instead of a label. Imports set the second one, too. */
export const PINNED = 'pinned';
export const ARCHIVED = 'archived';

type Tagged = Pick<Thread, 'tags'>;

export function isPinned({ tags }: Tagged): boolean {
  return tags.includes(PINNED);
}

export function isArchived({ tags }: Tagged): boolean {
  return tags.includes(ARCHIVED);
}

/** The tags that are only labels. */
export function plainTags({ tags }: Tagged): readonly string[] {
  return tags.filter((tag) => tag !== PINNED && tag !== ARCHIVED);
}
