import type { BodyRecord, NodeRecord } from '../../model/records.ts';
import { comparePlaces, type PagePosition, pageLimit, readCursor } from '../page.ts';
import type { Change, Page, SearchHit, SearchQuery } from '../store.ts';
import { createWordIndex, indexWords, nodeText, pageOfHits, splitWords, type WordIndex } from '../word-index.ts';
import type { RecordReader } from './record-reader.ts';
import type { SegmentSet } from './segment-set.ts';
import type { Tables } from './tables/tables.ts';

/** How many texts are read at once, and how many bytes of them. */
const AT_ONCE = 1000;
const BYTES_AT_ONCE = 16 * 2 ** 20;

/**
 * The full-text search. The index is built by the first search; from then on each new node is added. If the bodies have
 * more than `memory` bytes, there is no index, because it would need about as much: each search reads all texts.
 */
export function createSearch(set: SegmentSet, records: RecordReader, memory: number) {
  let current: TextIndex | undefined;

  const start = (): TextIndex => {
    const { tables } = set;
    const { count, has } = tables.nodes;
    const missing: number[] = [];
    for (let row = 1; row < count; row++) if (has(row)) missing.push(row);
    return { tables, words: createWordIndex(), missing, added: [], filling: Promise.resolve() };
  };
  /** As many of these rows as are read at once, from one of them on. */
  const nextPart = ({ nodes, bodies }: Tables, rows: readonly number[], first: number): number[] => {
    let end = first;
    for (let bytes = 0; end < rows.length && end - first < AT_ONCE && bytes < BYTES_AT_ONCE; end++)
      bytes += bodies.place(nodes.body(rows[end]!))?.length ?? 0;
    return rows.slice(first, end);
  };
  const readTexts = async ({ nodes, bodies }: Tables, rows: readonly number[]) => {
    const bodyRows = rows.map(nodes.body);
    const read = (await records.read(rows.map(nodes.place))) as (NodeRecord | undefined)[];
    const texts = (await records.read(bodyRows.map(bodies.place))) as (BodyRecord | undefined)[];
    return read.flatMap((node, at) => (node ? [{ node, text: texts[at]?.text ?? '', row: rows[at]! }] : []));
  };
  const fill = async ({ tables, words, missing, added }: TextIndex) => {
    for (const id of added.splice(0)) missing.push(tables.nodes.rowOf(id));
    while (missing.length > 0) {
      const part = nextPart(tables, missing, 0);
      for (const { node, text } of await readTexts(tables, part)) words.add(node.id, nodeText(node.dialect, text));
      // Only what was read is no longer missing: if reading fails, the next search reads it.
      missing.splice(0, part.length);
    }
  };

  /** Whether the time and the role of a node are those that are wanted. */
  const isWanted = ({ nodes }: Tables, { roles, since = -Infinity, until = Infinity }: SearchQuery, row: number) => {
    const { at, role } = nodes;
    return at(row) >= since && at(row) < until && (roles?.includes(role(row)) ?? true);
  };
  // If all segments are read again meanwhile, the tables that were begun with are dropped and say so, and the search is repeated.
  const findInIndex = async (query: SearchQuery): Promise<Page<SearchHit>> => {
    current ??= start();
    const index = current;
    // One at a time: two would read the same.
    index.filling = index.filling.catch(() => undefined).then(() => fill(index));
    await index.filling;
    const { at, rowOf } = index.tables.nodes;
    const hits = index.words
      .find(query.words.flatMap(splitWords))
      .filter(({ id }) => isWanted(index.tables, query, rowOf(id)));
    return pageOfHits(hits, (id) => at(rowOf(id)), query);
  };
  const findInTexts = async (query: SearchQuery): Promise<Page<SearchHit>> => {
    const { tables } = set;
    const { nodes } = tables;
    const matcher = new TextMatcher(query.words.flatMap(splitWords));
    const rows: number[] = [];
    for (let row = 1; matcher.hasWords && row < nodes.count; row++)
      if (nodes.has(row) && isWanted(tables, query, row)) rows.push(row);
    for (let done = 0; done < rows.length; ) {
      const part = nextPart(tables, rows, done);
      for (const { node, text, row } of await readTexts(tables, part)) matcher.match(row, node.dialect, text);
      done += part.length;
    }
    return bestMatches(matcher.matches(), nodes, query);
  };
  const reset = () => {
    current = undefined;
  };

  return {
    find(query: SearchQuery): Promise<Page<SearchHit>> {
      if (set.tables.bodies.bytes <= memory) return findInIndex(query);
      reset();
      return findInTexts(query);
    },
    onNew(found: readonly Change[]) {
      for (const { kind, key } of found) if (kind === 'node') current?.added.push(key);
    },
    reset,
  };
}

interface TextIndex {
  /** Those that its rows are of. */
  readonly tables: Tables;
  readonly words: WordIndex;
  /** The rows of the nodes that are not in it yet. */
  readonly missing: number[];
  /** The ids of new nodes, which are not among them yet. */
  readonly added: string[];
  filling: Promise<unknown>;
}

/** A text that has all the words. */
interface TextMatch {
  readonly row: number;
  readonly score: number;
}

const ASCII = /^[\0-\x7f]*$/;

/** Compares texts with words as the index does. How rare a word is, is estimated: by the texts that have its letters. */
class TextMatcher {
  readonly #words: readonly string[];
  /** How many texts have the letters of each word. */
  readonly #having: Uint32Array;
  /** For each match its row, the number of its words, and how often it has each of those that are wanted: there may be millions. */
  readonly #found: number[] = [];
  #texts = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
    this.#having = new Uint32Array(words.length);
  }

  get hasWords(): boolean {
    return this.#words.length > 0;
  }

  match(row: number, dialect: string, raw: string): void {
    this.#texts += 1;
    if (!this.#hasLetters(raw)) return;
    const counts = this.#words.map(() => 0);
    const words = indexWords(nodeText(dialect, raw));
    const last = this.#words.length - 1;
    for (const word of words)
      for (const [at, wanted] of this.#words.entries())
        if (at === last ? word.startsWith(wanted) : word === wanted) counts[at]! += 1;
    if (!counts.includes(0)) this.#found.push(row, words.length, ...counts);
  }

  /** Rare words weigh more than common ones, and hits in short texts more than in long ones. */
  *matches(): Generator<TextMatch> {
    const rarity = Array.from(this.#having, (count) => Math.log(1 + this.#texts / count));
    for (let at = 0; at < this.#found.length; at += 2 + this.#words.length) {
      const [row, length, ...counts] = this.#found.slice(at, at + 2 + this.#words.length) as [number, number];
      const parts = (counts as number[]).map((count, word) => (rarity[word]! * count) / (count + 0.5 + length / 100));
      yield { row, score: parts.reduce((sum, part) => sum + part, 0) };
    }
  }

  /**
   * Whether a text may have all the words. Most texts do not, and splitting them into words would take most of the time. In ASCII
   * without escape sequences of letters, the letters of a word stand beside each other, and other letters do not occur.
   */
  #hasLetters(raw: string): boolean {
    const lower = ASCII.test(raw) && !raw.includes('\\u') ? raw.toLowerCase() : undefined;
    let hasAll = true;
    for (const [at, word] of this.#words.entries())
      if (lower?.includes(word) ?? true) this.#having[at]! += 1;
      else hasAll = false;
    return hasAll;
  }
}

interface PlacedHit extends SearchHit {
  readonly place: PagePosition;
}

/** A page of matches, best first. Only those that may be on it become objects. */
function bestMatches(
  matches: Iterable<TextMatch>,
  { at, idOf }: SegmentSet['tables']['nodes'],
  query: SearchQuery,
): Page<SearchHit> {
  const most = pageLimit(query) + 1;
  const after = query.after === undefined ? undefined : readCursor(query.after, [0, 0, '']);
  let best: PlacedHit[] = [];
  let worst = -Infinity;
  const cut = () => {
    best = best.sort((a, b) => comparePlaces(a.place, b.place)).slice(0, most);
    if (best.length === most) worst = best.at(-1)!.score;
  };
  for (const { row, score } of matches) {
    if (score < worst) continue;
    const id = idOf(row);
    const place = [-score, -at(row), id];
    if (after && comparePlaces(place, after) <= 0) continue;
    best.push({ id, score, place });
    if (best.length >= most * 2) cut();
  }
  cut();
  const times = new Map(best.map(({ id, place }) => [id, -Number(place[1])]));
  const hits = best.map(({ id, score }) => ({ id, score }));
  return pageOfHits(hits, (id) => times.get(id)!, query);
}
