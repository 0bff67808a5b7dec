import { type ContentBlock, dialect, type Message } from '@skein/core';
import { toPage } from './page.ts';
import type { Page, PageRequest, SearchHit } from './store.ts';

/** A full-text index in memory. */
export interface WordIndex {
  add(id: string, text: string): void;
  /** The nodes that have all the words, in no order. The last word may be a prefix. */
  find(words: readonly string[]): SearchHit[];
}

export function createWordIndex(): WordIndex {
  const postings = new Map<string, Map<number, number>>();
  const ids: string[] = [];
  const lengths: number[] = [];
  let sorted: string[] | undefined;

  const findPostings = (word: string, isLast: boolean): Map<number, number> => {
    if (!isLast) return postings.get(word) ?? new Map();
    sorted ??= [...postings.keys()].sort();
    const merged = new Map<number, number>();
    for (let at = firstNotBefore(sorted, word); sorted[at]?.startsWith(word); at++)
      for (const [row, count] of postings.get(sorted[at]!)!) merged.set(row, (merged.get(row) ?? 0) + count);
    return merged;
  };

  return {
    add(id, text) {
      const row = ids.push(id) - 1;
      const words = splitWords(text);
      lengths.push(words.length);
      for (const word of words) {
        let rows = postings.get(word);
        if (!rows) {
          rows = new Map();
          postings.set(word, rows);
          sorted = undefined;
        }
        rows.set(row, (rows.get(row) ?? 0) + 1);
      }
    },
    find(words) {
      if (words.length === 0) return [];
      const lists = words.map((word, at) => findPostings(word, at === words.length - 1));
      const [shortest, ...others] = lists.sort((a, b) => a.size - b.size);
      const hits: SearchHit[] = [];
      for (const row of shortest!.keys()) {
        if (!others.every((list) => list.has(row))) continue;
        hits.push({ id: ids[row]!, score: lists.reduce((sum, list) => sum + weight(list, row), 0) });
      }
      return hits;
    },
  };

  // Rare words weigh more than common ones, and hits in short texts more than in long ones.
  function weight(list: ReadonlyMap<number, number>, row: number): number {
    const count = list.get(row) ?? 0;
    const rarity = Math.log(1 + ids.length / list.size);
    return (rarity * count) / (count + 0.5 + lengths[row]! / 100);
  }
}

/** A page of hits, best first, and the newest first of those that are equally good. */
export function pageOfHits(
  hits: readonly SearchHit[],
  timeOf: (id: string) => number,
  page: PageRequest,
): Page<SearchHit> {
  const timed = hits.map((hit) => ({ hit, place: [-hit.score, -timeOf(hit.id), hit.id] as const }));
  timed.sort(({ place: a }, { place: b }) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1));
  const found = toPage(timed, ({ place }) => place, page);
  return { ...found, items: found.items.map(({ hit }) => hit) };
}

function firstNotBefore(sorted: readonly string[], word: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The text that a search looks through. If the dialect is unknown or cannot read it, the raw text is used.
 *
 * @example
 * index.add(node.id, nodeText(node.dialect, text));
 */
export function nodeText(dialectId: string, raw: string): string {
  try {
    return searchText(dialect(dialectId).parseMessage(raw));
  } catch {
    return raw;
  }
}

/** The text that a search looks through: everything that a person sees of a message, with reasoning, calls and results. */
export function searchText(message: Message): string {
  const texts = message.content.map(blockSearchText);
  return texts.filter((text) => text !== '').join('\n');
}

function blockSearchText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return block.text;
    case 'tool-use':
      return `${block.name} ${block.rawParameters}`;
    case 'tool-result':
      return block.content.map((inner) => (inner.type === 'text' ? inner.text : '')).join(' ');
    default:
      block satisfies { type: 'media' | 'unknown' };
      return '';
  }
}

/**
 * Splits a text into words as a search compares them: letters and digits of any script, in lower case, without diacritics.
 *
 * @example
 * splitWords('Café, au lait!'); // ['cafe', 'au', 'lait']
 */
export function splitWords(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
