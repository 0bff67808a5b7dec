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
      const words = indexWords(text);
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

/**
 * A page of hits, best first; of equally good ones the newest is first.
 *
 * @example
 * pageOfHits(index.find(words), (id) => nodes.get(id).at, { limit: 20 });
 */
export function pageOfHits(
  hits: readonly SearchHit[],
  atOf: (id: string) => number,
  page: PageRequest,
): Page<SearchHit> {
  const placed = hits.map((hit) => ({ hit, place: [-hit.score, -atOf(hit.id), hit.id] as const }));
  placed.sort(({ place: a }, { place: b }) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1));
  const found = toPage(placed, ({ place }) => place, page);
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

/** Characters of scripts that are written without spaces between words, or with many forms of a word in one run. */
export const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]/u;

/**
 * Splits a text into words as a search compares them: letters and digits of any script, in lower case, without diacritics. A run
 * of Chinese, Japanese or Korean characters becomes its pairs of neighbours, so that a word inside the run is found.
 *
 * @example
 * splitWords('Café, au lait!'); // ['cafe', 'au', 'lait']
 * splitWords('天気予報'); // ['天気', '気予', '予報']
 */
export function splitWords(text: string): string[] {
  return runsIn(text).flatMap((run) => (UNSPACED.test(run) ? pairsIn(run) : [run]));
}

/**
 * The words of a text for an index. Beside those of `splitWords`, it has the last character of each run of Chinese, Japanese
 * or Korean, because no pair begins with it.
 *
 * @example
 * indexWords('天気'); // ['天気', '気']
 */
export function indexWords(text: string): string[] {
  return runsIn(text).flatMap((run) => {
    if (!UNSPACED.test(run)) return [run];
    const pairs = pairsIn(run);
    const last = Array.from(run).at(-1)!;
    return pairs[0] === last ? pairs : [...pairs, last];
  });
}

/** Letters and digits without a break, where a change between spaced and unspaced scripts is a break. */
function runsIn(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '');
  const words =
    plain
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .flatMap((word) => (UNSPACED.test(word) ? word.split(SCRIPT_CHANGE) : [word]))
    .filter((run) => run !== '');
}

const SCRIPT_CHANGE = new RegExp(`(${UNSPACED.source}+)`, 'u');

function pairsIn(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return [run];
  return characters.slice(1).map((character, index) => characters[index]! + character);
}
