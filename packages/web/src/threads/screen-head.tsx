import { Download, Network, Search, SquarePen, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Thread } from '../api/types.ts';
import { openExport, useOverlays } from '../state/overlays.ts';
import { Button, buttonLook, IconButton } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { t } from '../words/words.ts';
import { ImportButton } from './import-files.tsx';
import { isSearching, type ListAddress, type ListParam, type ListView } from './list-address.ts';

export interface ListPartProps {
  readonly address: ListAddress;
  readonly onChange: (news: Partial<Record<ListParam, string>>) => void;
  readonly threads: readonly Thread[];
}

interface ScreenHeadProps extends ListPartProps {
  /** Whether all conversations are loaded. */
  readonly isWhole: boolean;
}

const VIEWS: readonly { readonly view: ListView; readonly title: string }[] = [
  { view: 'conversations', title: t('threads.conversations') },
  { view: 'archived', title: t('threads.archived') },
  { view: 'bookmarks', title: t('threads.bookmarks') },
  { view: 'deleted', title: t('threads.deleted') },
];

/** The head of the screen: title, actions, search field and views. */
export function ScreenHead({ address, onChange, threads, isWhole }: ScreenHeadProps) {
  return (
    <header className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2 max-sm:gap-1.5">
        <h1 className="mr-auto text-xl font-semibold tracking-tight">
          {t('threads.forest')}
          <span className="ml-2 text-sm font-normal tracking-normal text-faint max-sm:block max-sm:ml-0 max-sm:text-xs">
            {/* A number that still grows would look final. */}
            {isWhole
              ? threads.length > 0 && t('threads.conversations-count', { count: threads.length })
              : t('threads.loading')}
          </span>
        </h1>
        <Link href="/graph" className={`${buttonLook('plain')} max-sm:min-w-11`}>
          <Network size={14} aria-hidden />
          <span className="max-sm:sr-only">{t('threads.graph')}</span>
        </Link>
        <ImportButton />
        <Button className="max-sm:min-w-11" onClick={() => openExport({ kind: 'everything' })}>
          <Download size={14} aria-hidden />
          <span className="max-sm:sr-only">{t('threads.export')}</span>
        </Button>
        <Link href="/new" className={buttonLook('primary')}>
          <SquarePen size={14} aria-hidden />
          {t('threads.new')}
        </Link>
      </div>
      <SearchField value={address.q} onChange={(q) => onChange({ q })} />
      <nav aria-label={t('threads.views')} className="flex gap-1 overflow-x-auto border-b border-line">
        {VIEWS.map(({ view, title }) => {
          const isHere = view === address.view && !isSearching(address);
          return (
            <button
              key={view}
              type="button"
              {...(isHere && { 'aria-current': 'page' as const })}
              onClick={() => onChange({ view: view === 'conversations' ? '' : view, q: '', tool: '', file: '' })}
              className={`-mb-px shrink-0 border-b-2 px-3 py-1.5 font-medium max-sm:px-2 pointer-coarse:py-2.5 ${isHere ? 'border-accent text-ink' : 'border-transparent text-soft hover:text-ink'}`}
            >
              {title}
            </button>
          );
        })}
      </nav>
    </header>
  );
}

function SearchField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const isWanted = useOverlays((overlays) => overlays.wantsSearch);
  useEffect(() => {
    if (!isWanted) return;
    field.current?.focus();
    field.current?.select();
    useOverlays.setState({ wantsSearch: false });
  }, [isWanted]);
  return (
    <search className="relative flex items-center">
      <Search size={16} aria-hidden className="pointer-events-none absolute left-3 text-faint" />
      <input
        ref={field}
        type="text"
        enterKeyHint="search"
        aria-label={t('search.label')}
        placeholder={t('search.label')}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (value) onChange('');
          else field.current?.blur();
        }}
        className="h-10 w-full rounded-lg border border-line bg-surface pr-10 pl-9 placeholder:text-faint hover:border-line-strong"
      />
      <span className="absolute right-2">
        {value ? (
          <IconButton label={t('search.clear')} onClick={() => onChange('')}>
            <X size={14} />
          </IconButton>
        ) : (
          <span className="max-sm:hidden pointer-coarse:hidden">
            <Kbd>/</Kbd>
          </span>
        )}
      </span>
    </search>
  );
}
