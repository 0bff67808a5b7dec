import type { Message, Role } from '@skein/core';
import { ROOT } from '../../model/ids.ts';
import type { NodeRecord, TakeRecord } from '../../model/records.ts';
import type { Page, PageRequest, SearchHit, Store } from '../../store/index.ts';
import { searchText, splitWords, UNSPACED } from '../../store/word-index.ts';
import type { ForestContext } from '../context.ts';
import { allItems, filteredPage } from '../pages.ts';
import { readThreads, type SessionFilters, type Thread } from '../threads/thread.ts';
import type { Threads } from '../threads/threads.ts';
import { areHidden } from './hidden.ts';
import { readMarks, readMessage, readTakes, unlessDamaged } from './read-nodes.ts';
import { isAtOrBelow, resolveId, resolveNode } from './resolve.ts';
import { readToolEffect } from './tool-effects.ts';

/** What a search is restricted to. */
export interface SearchFilters extends PageRequest, SessionFilters {
  readonly roles?: readonly Role[];
  /** Milliseconds, inclusive. */
  readonly since?: number;
  /** Milliseconds, exclusive. */
  readonly until?: number;
  /** Only below this node. */
  readonly below?: string;
  readonly model?: string;
  readonly tag?: string;
  /** Only calls of the tool with this name. */
  readonly tool?: string;
  /** Only calls that read or change this file; the end of its path is enough. */
  readonly file?: string;
}

/** A node that contains the words of a search. */
export interface SearchResult {
  readonly node: string;
  readonly role: Role;
  readonly at: number;
  /** The model that wrote it, if one did. */
  readonly model?: string;
  readonly provider?: string;
  /** The conversation that it was written in; if that is not known, the last changed one that contains it. */
  readonly thread?: string;
  readonly title?: string;
  readonly score: number;
  /** The text around the words. */
  readonly snippet: string;
  /** Where the words are in the snippet. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

/**
 * Finds nodes that contain all words of a text; the last word may be a prefix. Calls of a tool and of a file are found
 * without further words.
 */
export async function searchNodes(
  context: ForestContext,
  threads: Threads,
  text: string,
  { roles, since, until, below, model, tag, tool, file, agent, cwd, branch, ...page }: SearchFilters = {},
): Promise<Page<SearchResult>> {
  const { store } = context;
  // Names of tools and paths are among the words of a call.
  const words = splitWords(`${tool ?? ''} ${file ?? ''} ${text}`);
  const top =
    below === undefined || (await resolveId(store, below)) === ROOT ? undefined : await resolveNode(store, below);
  if (words.length === 0) return { items: [] };
  const query = {
    words,
    ...(roles && { roles }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
  const isInSession = [agent, cwd, branch].some((one) => one !== undefined);
  const inSessions = isInSession
    ? await nodesOfSessions(store, threads, {
        ...(agent !== undefined && { agent }),
        ...(cwd !== undefined && { cwd }),
        ...(branch !== undefined && { branch }),
      })
    : undefined;
  const found = await filteredPage(
    (request) => store.search({ ...query, ...request }),
    (hits) => keepHits(context, hits, { top, model, tag, tool, file, inSessions }),
    page,
  );
  return { ...found, items: await readHits(context, threads, found.items, words) };
}

/** The filters that a store does not know. */
interface HitFilter {
  readonly top: NodeRecord | undefined;
  readonly model: string | undefined;
  readonly tag: string | undefined;
  readonly tool: string | undefined;
  readonly file: string | undefined;
  /** The nodes of the sessions that are searched; undefined for all. */
  readonly inSessions: ReadonlySet<string> | undefined;
}

/** The nodes on the paths of the sessions' threads. */
async function nodesOfSessions(
  store: ForestContext['store'],
  threads: Threads,
  filters: SessionFilters,
): Promise<ReadonlySet<string>> {
  const nodes = new Set<string>();
  for await (const { head } of allItems((page) => threads.list({ ...filters, ...page })))
    for (const { id } of await store.path(head)) nodes.add(id);
  return nodes;
}

async function keepHits(
  { store }: ForestContext,
  hits: readonly SearchHit[],
  { top, model, tag, tool, file, inSessions }: HitFilter,
): Promise<boolean[]> {
  const ids = hits.map(({ id }) => id);
  const records = (await store.nodes(ids)) as NodeRecord[];
  const [hidden, takes, marks, bodies] = await Promise.all([
    areHidden(store, records),
    model === undefined ? undefined : readTakes(store, ids),
    tag === undefined ? undefined : readMarks(store, ids),
    (tool ?? file) === undefined ? undefined : store.bodies(records.map(({ body }) => body)),
  ]);
  const kept: boolean[] = [];
  for (const [index, record] of records.entries())
    kept.push(
      !hidden[index] &&
        (!inSessions || inSessions.has(record.id)) &&
        (!bodies ||
          hasCall(
            unlessDamaged(() => readMessage(store, record, bodies[index], [])),
            tool,
            file,
          )) &&
        (!takes || (takes.get(record.id) ?? []).some((take) => take.model === model)) &&
        (!marks || marks.get(record.id)?.tags.includes(tag!) === true) &&
        (!top || (record.id !== top.id && (await isAtOrBelow(store, record, top)))),
    );
  return kept;
}

/** Whether a message calls a tool of this name, for a file with this path or the end of it. */
function hasCall(message: Message | undefined, tool: string | undefined, file: string | undefined): boolean {
  return (message?.toolUses ?? []).some(
    (call) =>
      (tool === undefined || call.name === tool) &&
      (file === undefined ||
        readToolEffect(call).files.some(
          ({ path }) => path === file || path.endsWith(`/${file.replace(/^\.?\//, '')}`),
        )),
  );
}

async function readHits(
  { store }: ForestContext,
  threads: Threads,
  hits: readonly SearchHit[],
  words: readonly string[],
): Promise<SearchResult[]> {
  const ids = hits.map(({ id }) => id);
  const [records, takes] = await Promise.all([store.nodes(ids) as Promise<NodeRecord[]>, readTakes(store, ids)]);
  const bodies = await store.bodies(records.map(({ body }) => body));
  const written = await readWritten(store, takes);
  const others = await threads.through(ids.filter((id) => !written.has(id)));
  return hits.flatMap(({ id, score }, index) => {
    const record = records[index]!;
    const message = unlessDamaged(() => readMessage(store, record, bodies[index], []));
    if (!message) return [];
    const { model, provider } = (takes.get(id) ?? []).find((take) => take.model !== undefined) ?? {};
    const thread = written.get(id) ?? others.get(id);
    return {
      node: id,
      role: record.facts.role,
      at: record.at,
      ...(model !== undefined && { model }),
      ...(provider !== undefined && { provider }),
      ...(thread && { thread: thread.id, title: thread.title }),
      score,
      ...makeSnippet(searchText(message), words),
    };
  });
}

/** The last conversation that each node was written in, without deleted ones. Imported messages do not say it. */
async function readWritten(
  store: Store,
  takes: ReadonlyMap<string, readonly TakeRecord[]>,
): Promise<ReadonlyMap<string, Thread>> {
  const named = [...takes].map(([node, own]) => [node, own.flatMap(({ thread }) => thread ?? [])] as const);
  const threads = await readThreads(store, [...new Set(named.flatMap(([, ids]) => ids))]);
  const living = new Map(threads.flatMap((thread) => (thread && !thread.deleted ? [[thread.id, thread]] : [])));
  return new Map(
    named.flatMap(([node, ids]) => {
      const last = ids.findLast((id) => living.has(id));
      return last === undefined ? [] : [[node, living.get(last)!]];
    }),
  );
}

const LENGTH = 160;

interface Snippet {
  readonly snippet: string;
  readonly marks: readonly (readonly [start: number, end: number])[];
}

interface WordHit {
  readonly start: number;
  readonly end: number;
  readonly word: number;
}

/** The part of a text that contains most of the words, and their positions in it. */
export function makeSnippet(text: string, words: readonly string[]): Snippet {
  const hits = findWords(text, words);
  const from = bestStart(hits);
  // Some text before the first word gives it a context.
  const start = from <= LENGTH / 4 ? 0 : Math.min(from, wholeStart(text, from - LENGTH / 4));
  const end = wholeEnd(text, Math.min(text.length, Math.max(start + LENGTH, firstEnd(hits, from))));
  const lead = start > 0 ? '…' : '';
  const marks = hits
    .filter((hit) => hit.start >= start && hit.end <= end)
    .map((hit) => [hit.start - start + lead.length, hit.end - start + lead.length] as const);
  return { snippet: `${lead}${text.slice(start, end)}${end < text.length ? '…' : ''}`, marks };
}

/** Letters and digits without a break; a run of an unspaced script is a match of its own. */
const WORDS = new RegExp(
  `(?<unspaced>(?:${UNSPACED.source}\\p{M}*)+)|(?:(?!${UNSPACED.source})[\\p{L}\\p{N}\\p{M}])+`,
  'gu',
);

/** Where the words occur, compared as the search compares them; the last one may be a prefix. */
function findWords(text: string, words: readonly string[]): WordHit[] {
  const hits: WordHit[] = [];
  for (const match of text.matchAll(WORDS)) {
    const found = splitWords(match[0]);
    if (match.groups?.unspaced !== undefined) {
      hits.push(...findInRun(match[0], match.index, words));
      continue;
    }
    const word = words.findIndex((wanted, index) =>
      found.some((one) => (index === words.length - 1 ? one.startsWith(wanted) : one === wanted)),
    );
    if (word >= 0) hits.push({ start: match.index, end: match.index + match[0].length, word });
  }
  return hits;
}

/** Words inside a run that is written without spaces. Neighbours that overlap are one hit. */
function findInRun(run: string, offset: number, words: readonly string[]): WordHit[] {
  const characters = Array.from(run);
  const hits: WordHit[] = [];
  let start = offset;
  for (const [index, character] of characters.entries()) {
    // A pair, or the last character alone, as the index has them.
    const [here = ''] = splitWords(character + (characters[index + 1] ?? ''));
    const word = words.findIndex(
      (wanted, at) => here === wanted || (at === words.length - 1 && here.startsWith(wanted)),
    );
    if (word >= 0) {
      const end =
        start + (words[word]!.length > 1 ? character.length + (characters[index + 1]?.length ?? 0) : character.length);
      const last = hits.at(-1);
      if (last && last.end > start) hits.splice(-1, 1, { ...last, end: Math.max(last.end, end) });
      else hits.push({ start, end, word });
    }
    start += character.length;
  }
  return hits;
}

function bestStart(hits: readonly WordHit[]): number {
  let best = 0;
  let most = 0;
  for (const [index, { start }] of hits.entries()) {
    const within = new Set<number>();
    for (let at = index; at < hits.length && hits[at]!.end <= start + LENGTH / 2; at++) within.add(hits[at]!.word);
    if (within.size <= most) continue;
    most = within.size;
    best = start;
  }
  return best;
}

function firstEnd(hits: readonly WordHit[], from: number): number {
  return hits.find(({ start }) => start === from)?.end ?? 0;
}

/** Moves to the beginning of the next word if there is one near, and never into the middle of a character. */
function wholeStart(text: string, at: number): number {
  const space = text.slice(at, at + 20).search(/\s/);
  if (space >= 0) return at + space + 1;
  return isLowHalf(text, at) ? at + 1 : at;
}

function wholeEnd(text: string, at: number): number {
  return isLowHalf(text, at) ? at + 1 : at;
}

function isLowHalf(text: string, at: number): boolean {
  return at > 0 && at < text.length && /[\udc00-\udfff]/.test(text[at]!) && /[\ud800-\udbff]/.test(text[at - 1]!);
}
