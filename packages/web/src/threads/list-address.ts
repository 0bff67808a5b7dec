import { useSearchParams } from 'wouter';
import type { SearchFilters, SearchRole } from '../api/search.ts';
import type { Thread } from '../api/types.ts';
import { isPinned } from '../state/thread-state.ts';
import { LANGUAGE } from '../words/words.ts';

export type ListView = 'conversations' | 'archived' | 'bookmarks' | 'deleted';

const NAMES = [
  'q',
  'view',
  'sort',
  'title',
  'source',
  'tag',
  'rating',
  'role',
  'model',
  'since',
  'until',
  'tool',
  'file',
  'agent',
  'cwd',
  'branch',
] as const;
export type ListParam = (typeof NAMES)[number];

/** What the list shows, stored in the address so that back, forward and links work. */
export interface ListAddress {
  readonly q: string;
  readonly view: ListView;
  readonly sort: Sorting;
  /** Words of the title. */
  readonly title: string;
  readonly source: string;
  readonly tag: string;
  readonly rating: string;
  readonly role: string;
  readonly model: string;
  /** Days, such as `2026-05-01`. */
  readonly since: string;
  readonly until: string;
  /** Of a call that is searched for. */
  readonly tool: string;
  readonly file: string;
  /** Of the sessions of coding agents that are searched. */
  readonly agent: string;
  readonly cwd: string;
  readonly branch: string;
}

/** Whether the list shows messages that were searched for. Calls of a tool and of a file are found without words. */
export function isSearching({ q, tool, file }: ListAddress): boolean {
  return [q, tool, file].some((one) => one.trim() !== '');
}

export function useListAddress(): readonly [ListAddress, (news: Partial<Record<ListParam, string>>) => void] {
  const [params, setParams] = useSearchParams();
  const of = (name: ListParam) => params.get(name) ?? '';
  const address: ListAddress = {
    q: of('q'),
    view: oneOf(of('view'), ['archived', 'bookmarks', 'deleted'], 'conversations'),
    sort: oneOf(of('sort'), ['created', 'title', 'rating'], 'changed'),
    title: of('title'),
    source: of('source'),
    tag: of('tag'),
    rating: of('rating'),
    role: of('role'),
    model: of('model'),
    since: of('since'),
    until: of('until'),
    tool: of('tool'),
    file: of('file'),
    agent: of('agent'),
    cwd: of('cwd'),
    branch: of('branch'),
  };
  const change = (news: Partial<Record<ListParam, string>>) =>
    setParams(
      (before) => {
        for (const [name, value] of Object.entries(news)) {
          if (value) before.set(name, value);
          else before.delete(name);
        }
        return before;
      },
      // The back button leads to the previous view, not through every letter that was typed.
      { replace: news.view === undefined },
    );
  return [address, change];
}

function oneOf<T extends string>(value: string, others: readonly T[], first: T): T;
function oneOf<T extends string, F extends string>(value: string, others: readonly T[], first: F): T | F;
function oneOf(value: string, others: readonly string[], first: string): string {
  return others.includes(value) ? value : first;
}

const DAY = 86_400_000;
const TEXTS = ['model', 'tag', 'tool', 'file', 'agent', 'cwd', 'branch'] as const;
const ROLES: readonly string[] = ['system', 'user', 'assistant', 'tool'] satisfies SearchRole[];

/** The search that an address describes. `until` includes that whole day. */
export function searchFilters({ q, role, since, until, ...address }: ListAddress): SearchFilters {
  const first = Date.parse(`${since}T00:00`);
  const last = Date.parse(`${until}T00:00`);
  return {
    q: q.trim(),
    ...(ROLES.includes(role) && { role: role as SearchRole }),
    ...Object.fromEntries(TEXTS.flatMap((name) => (address[name].trim() ? [[name, address[name].trim()]] : []))),
    ...(Number.isFinite(first) && { since: first }),
    ...(Number.isFinite(last) && { until: last + DAY }),
  };
}

type Sorting = 'changed' | 'created' | 'title' | 'rating';

interface ThreadCriteria {
  readonly sort: Sorting;
  readonly tag?: string;
  /** At least. */
  readonly rating?: number;
  /** Words that the title or note must contain. */
  readonly text?: string;
  /** One of `SOURCES`; any other text means all. */
  readonly source?: string;
}

/** Filters and sorts threads. */
export function filterThreads(
  threads: readonly Thread[],
  { sort, tag, rating, text = '', source = '' }: ThreadCriteria,
): readonly Thread[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isWanted = (thread: Thread) => {
    const said = `${thread.title} ${thread.note ?? ''}`.toLowerCase();
    return (
      (tag === undefined || thread.tags.includes(tag)) &&
      (rating === undefined || (thread.rating ?? Number.NEGATIVE_INFINITY) >= rating) &&
      (SOURCES[source]?.(thread) ?? true) &&
      words.every((word) => said.includes(word))
    );
  };
  return threads.filter(isWanted).sort(COMPARE[sort]);
}

/** Where a conversation comes from. */
const SOURCES: Readonly<Record<string, (thread: Thread) => boolean>> = {
  written: ({ recorded }) => !recorded,
  recorded: ({ recorded }) => recorded,
  session: ({ session }) => session !== undefined,
  fork: ({ forkedFrom }) => forkedFrom !== undefined,
  pinned: isPinned,
};

const titles = new Intl.Collator(LANGUAGE, { numeric: true });

const COMPARE: Readonly<Record<Sorting, (a: Thread, b: Thread) => number>> = {
  changed: (a, b) => b.updatedAt - a.updatedAt,
  created: (a, b) => b.createdAt - a.createdAt,
  title: (a, b) => titles.compare(a.title, b.title),
  rating: (a, b) => (b.rating ?? 0) - (a.rating ?? 0) || b.updatedAt - a.updatedAt,
};
