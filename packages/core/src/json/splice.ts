import type { Range } from './scan.ts';
import { skipSpace } from './scan.ts';
import { type Item, membersOf } from './slice.ts';

/** Replaces `text.slice(start, end)`; an insertion has `start === end`. */
export interface Edit extends Range {
  readonly text: string;
}

/** A part of a spliced text: a range of the original, or new text. */
export type Piece = Range | string;

/** The text with the edits made. Edits may come in any order and must not overlap. */
export function splice(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  return pieces(text, edits)
    .map((piece) => (typeof piece === 'string' ? piece : text.slice(piece.start, piece.end)))
    .join('');
}

/** What the edited text consists of, so that it can be named without being copied. */
export function pieces(text: string, edits: readonly Edit[]): Piece[] {
  const ordered = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  const result: Piece[] = [];
  let at = 0;
  for (const edit of ordered) {
    if (edit.start < at || edit.end < edit.start)
      throw new RangeError(`Edits overlap or end early at offset ${edit.start}`);
    if (edit.start > at) result.push({ start: at, end: edit.start });
    if (edit.text !== '') result.push(edit.text);
    at = edit.end;
  }
  if (at < text.length) result.push({ start: at, end: text.length });
  return result;
}

/** Edits that take items out of a list of members or elements, each with one comma. */
export function removals(items: readonly Item[], drop: (index: number) => boolean): Edit[] {
  let kept: Item | undefined;
  return items.flatMap((item, index) => {
    const before = items[index - 1];
    if (!drop(index)) kept = item;
    else if (kept) return [{ start: before!.end, end: item.end, text: '' }];
    else return [{ start: item.keyStart, end: items[index + 1]?.keyStart ?? item.end, text: '' }];
    return [];
  });
}

/** Edits that take members out of an object by name. */
export function withoutMembers(text: string, start: number, names: (name: string) => boolean): Edit[] {
  const members = membersOf(text, start);
  return removals(members, (index) => names(members[index]!.name));
}

/** The edit that adds `"name":value` as the last member of an object. */
export function addMember(text: string, start: number, name: string, value: string): Edit {
  const last = membersOf(text, start).at(-1);
  const at = last ? last.end : start + 1;
  return { start: at, end: at, text: `${last ? ',' : ''}${JSON.stringify(name)}:${value}` };
}

/** The edit that puts texts before the first element of an array. */
export function prependElements(text: string, start: number, elements: readonly string[]): Edit {
  const empty = text.charCodeAt(skipSpace(text, start + 1)) === 0x5d;
  return { start: start + 1, end: start + 1, text: elements.join(',') + (empty || elements.length === 0 ? '' : ',') };
}
