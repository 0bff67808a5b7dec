import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, FoldHorizontal, Search } from 'lucide-react';
import { useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import { ROOT } from '../api/types.ts';
import { useRequestedPreviews } from '../state/previews.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { shortId } from '../ui/format.ts';
import { t } from '../words/words.ts';
import { type AuthorKind, colorVariable, KINDS } from './colors.ts';

/** The nodes whose text matches a search. */
export interface SearchMatches {
  /** Best first. */
  readonly list: readonly string[];
  readonly ids: ReadonlySet<string>;
  readonly error: Error | null;
}

interface GraphBarProps extends LegendProps {
  readonly below: string | undefined;
  readonly count: number;
  readonly search: string;
  readonly onSearch: (words: string) => void;
  readonly found: SearchMatches;
  readonly focused: string | undefined;
  readonly onFound: (id: string) => void;
  readonly canFold: boolean;
  readonly onFold: () => void;
}

/** The bar above the graph: scope, search and legend. */
export function GraphBar(props: GraphBarProps) {
  const { below, count, canFold, onFold } = props;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line bg-surface px-3 py-1.5">
      <h1 className="sr-only">{t('graph.title')}</h1>
      <Scope below={below} />
      <SearchField {...props} />
      <Legend {...props} />
      <span className="grow" />
      {canFold && (
        <Button small look="quiet" onClick={onFold}>
          <FoldHorizontal size={14} /> {t('graph.fold-all')}
        </Button>
      )}
      <span className="hidden text-xs text-faint sm:inline">{t('graph.messages', { count })}</span>
    </div>
  );
}

const WHOLE = 'all';
const MOST_CHOICES = 200;

function Scope({ below }: { readonly below: string | undefined }) {
  const [, go] = useLocation();
  const threads = useQuery(queries.threads());
  // Thousands of choices would be slow, and nobody reads them: search and the graph itself lead to older ones.
  const items = (threads.data?.items ?? []).filter(({ start }) => start !== ROOT).slice(0, MOST_CHOICES);
  const isThread = items.some(({ start }) => start === below);
  const previews = useRequestedPreviews(below === undefined || isThread ? [] : [below]);
  return (
    <select
      aria-label={t('graph.scope')}
      value={below ?? WHOLE}
      onChange={(event) => go(event.target.value === WHOLE ? '/graph' : `/graph/${event.target.value}`)}
      className="h-7 max-w-56 pointer-coarse:h-10 min-w-0 max-sm:max-w-40 rounded-md border border-line bg-surface pl-2 text-sm text-ink"
    >
      <option value={WHOLE}>{t('graph.scope-forest')}</option>
      {below !== undefined && !isThread && (
        <option value={below}>
          {t('graph.scope-below', { text: previews.get(below)?.text.slice(0, 40) ?? shortId(below) })}
        </option>
      )}
      {items.map(({ id, start, title }) => (
        <option key={id} value={start}>
          {title || shortId(start)}
        </option>
      ))}
    </select>
  );
}

function SearchField({ search, onSearch, found, focused, onFound }: GraphBarProps) {
  const index = found.list.indexOf(focused ?? '');
  const step = (by: number) => {
    const { list } = found;
    if (list.length > 0) onFound(list[(index + by + list.length) % list.length]!);
  };
  return (
    <search className="flex min-w-0 items-center gap-1 max-sm:grow">
      <span className="relative flex items-center max-sm:grow">
        <Search size={14} aria-hidden className="absolute left-2 text-faint" />
        <input
          type="search"
          aria-label={t('graph.search-label')}
          placeholder={t('graph.search')}
          value={search}
          onChange={(event) => onSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          }}
          className="h-7 w-40 pointer-coarse:h-10 max-sm:w-0 max-sm:min-w-24 max-sm:grow rounded-md border border-line bg-surface pr-1 pl-7 text-sm placeholder:text-faint"
        />
      </span>
      {search.trim() !== '' && (
        <>
          <span role="status" className="text-xs whitespace-nowrap text-soft">
            {found.error
              ? found.error.message
              : index < 0
                ? t('graph.found', { count: found.list.length })
                : t('graph.found-at', { index: index + 1, count: found.list.length })}
          </span>
          <IconButton label={t('graph.previous-found')} onClick={() => step(-1)} disabled={found.list.length === 0}>
            <ChevronUp size={14} />
          </IconButton>
          <IconButton label={t('graph.next-found')} onClick={() => step(1)} disabled={found.list.length === 0}>
            <ChevronDown size={14} />
          </IconButton>
        </>
      )}
    </search>
  );
}

interface LegendProps {
  readonly kinds: ReadonlySet<AuthorKind>;
  readonly hidden: ReadonlySet<AuthorKind>;
  readonly onHidden: (hidden: ReadonlySet<AuthorKind>) => void;
}

/** The legend of the colours; each kind can be dimmed. */
function Legend({ kinds, hidden, onHidden }: LegendProps) {
  const toggle = (kind: AuthorKind) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    onHidden(next);
  };
  return (
    <ul
      aria-label={t('graph.legend')}
      className="flex items-center gap-1 max-sm:w-full max-sm:overflow-x-auto max-sm:[scrollbar-width:none] sm:flex-wrap"
    >
      {KINDS.filter(({ kind }) => kinds.has(kind)).map(({ kind, title }) => (
        <li key={kind} className="shrink-0">
          <button
            type="button"
            aria-pressed={!hidden.has(kind)}
            onClick={() => toggle(kind)}
            className={`flex h-6 items-center gap-1.5 rounded-md px-1.5 text-xs hover:bg-hover pointer-coarse:h-10 ${hidden.has(kind) ? 'text-faint line-through' : 'text-soft'}`}
          >
            <span
              aria-hidden
              className="size-2.5 rounded-sm border"
              style={{
                borderColor: `var(${colorVariable(kind)})`,
                background: hidden.has(kind) ? 'transparent' : `var(${colorVariable(kind)})`,
              }}
            />
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}
