import { shortestEdit } from './shortest-edit.ts';

export interface Change {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Words, numbers, runs of space, and every other character by itself. */
const WORDS = /[\p{L}\p{M}_]+|\p{N}+|\s+|[\s\S]/gu;
const LINES = /[^\n]*\n|[^\n]+$/g;

/** So many differing words are looked for; beyond it lines are compared, and beyond that everything differs. */
const MOST_EDITS = 1200;

/**
 * What has to be removed from `before` and added to make `after`, removals first. All but the added joined is `before`,
 * all but the removed joined is `after`.
 */
export function wordDiff(before: string, after: string): readonly Change[] {
  const changes =
    diffOf(before.match(WORDS) ?? [], after.match(WORDS) ?? []) ??
    diffOf(before.match(LINES) ?? [], after.match(LINES) ?? []) ??
    ([
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ] as const);
  return tidy(changes);
}

function diffOf(before: readonly string[], after: readonly string[]): readonly Change[] | undefined {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const edits = shortestEdit(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
    MOST_EDITS,
  );
  if (!edits) return undefined;
  const same = (pieces: readonly string[]): Change => ({ kind: 'same', text: pieces.join('') });
  return [same(before.slice(0, start)), ...edits, same(before.slice(before.length - end))];
}

/** Joins neighbours of a kind, and takes lone spaces between two changes into them: whole phrases read better. */
function tidy(changes: readonly Change[]): readonly Change[] {
  const tidied: Change[] = [];
  let removed = '';
  let added = '';
  const close = () => {
    if (removed !== '') tidied.push({ kind: 'removed', text: removed });
    if (added !== '') tidied.push({ kind: 'added', text: added });
    removed = '';
    added = '';
  };
  const joined = joinNeighbours(changes.filter(({ text }) => text !== ''));
  for (const [index, { kind, text }] of joined.entries()) {
    const isBetween = (removed !== '' || added !== '') && index < joined.length - 1;
    if (kind === 'removed') removed += text;
    else if (kind === 'added') added += text;
    else if (isBetween && /^[^\S\n]+$/.test(text)) {
      removed += text;
      added += text;
    } else {
      close();
      tidied.push({ kind, text });
    }
  }
  close();
  return tidied;
}

function joinNeighbours(changes: readonly Change[]): readonly Change[] {
  const joined: Change[] = [];
  for (const change of changes) {
    const last = joined.at(-1);
    if (last?.kind === change.kind) joined[joined.length - 1] = { ...last, text: last.text + change.text };
    else joined.push(change);
  }
  return joined;
}
