import { Dialog as Base } from '@base-ui/react/dialog';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Bookmark as BookmarkIcon, Check, MessageSquare, TextSearch } from 'lucide-react';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import { quickSearch } from '../api/search.ts';
import { keyLabel } from '../commands/keys.ts';
import { GROUPS, useCommands } from '../commands/registry.ts';
import { toAddress } from '../state/address.ts';
import { type PalettePage, useOverlays } from '../state/overlays.ts';
import { useView } from '../state/view.ts';
import { ago, shortNumber } from '../ui/format.ts';
import { Kbd } from '../ui/kbd.tsx';
import { MarkedText } from '../ui/marked-text.tsx';

const close = () => useOverlays.setState({ palette: undefined });

/** The command palette: finds commands, conversations, messages, bookmarks and models by name. */
export default function Palette({ page }: { readonly page: PalettePage }) {
  const [query, setQuery] = useState('');
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          aria-label={page === 'models' ? 'Choose a model' : 'Search and commands'}
          className="fixed top-[10dvh] left-1/2 z-50 w-[calc(100vw-1rem)] max-w-xl -translate-x-1/2 rounded-xl border border-line bg-raised shadow-xl outline-none"
        >
          <Command shouldFilter={false} loop label="Search and commands">
            <Command.Input
              autoFocus
              value={query}
              onValueChange={setQuery}
              placeholder={page === 'models' ? 'Choose a model' : 'Search or run a command'}
              className="h-11 w-full border-b border-line bg-transparent px-4 outline-none placeholder:text-faint"
            />
            <Command.List className="max-h-[60dvh] overflow-y-auto p-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-[11px] [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-faint">
              <Command.Empty className="p-6 text-center text-soft">Nothing matches.</Command.Empty>
              {page === 'all' && <PalettePlaces query={query} onDone={close} />}
              {page === 'all' && <PaletteCommands query={query} onDone={close} />}
              <PaletteModels query={query} isWhole={page === 'models'} onDone={close} />
            </Command.List>
          </Command>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface PalettePartProps {
  readonly query: string;
  readonly onDone: () => void;
}

/** The commands of the current screen, by group. */
function PaletteCommands({ query, onDone }: PalettePartProps) {
  const { commands } = useCommands();
  const offered = [...commands.values()].filter(({ id }) => id !== 'palette');
  const found = rankByWords(offered, query, ({ title, group, words = '' }) => `${title} ${group} ${words}`, 100);
  const groups = GROUPS.filter((one) => found.some(({ group }) => group === one));
  return groups.map((group) => (
    <Command.Group key={group} heading={group}>
      {found
        .filter((command) => command.group === group)
        .map(({ id, title, keys = [], run }) => (
          <PaletteItem
            key={id}
            id={`command ${id}`}
            aside={keys.map((key) => <Kbd key={key}>{keyLabel(key)}</Kbd>)}
            onChoose={() => {
              onDone();
              // After the palette has closed, so that a field can take the focus.
              requestAnimationFrame(run);
            }}
          >
            {title}
          </PaletteItem>
        ))}
    </Command.Group>
  ));
}

const MOST = 6;

/** The places to go to: conversations, bookmarks and messages that match. */
function PalettePlaces({ query, onDone }: PalettePartProps) {
  const [, go] = useLocation();
  const words = useDeferredValue(query.trim());
  const threads = useQuery(queries.threads());
  const bookmarks = useQuery(queries.bookmarks());
  const said = useQuery({ ...quickSearch(words), placeholderData: keepPreviousData });
  const open = (href: string) => {
    onDone();
    go(href);
  };
  const titles = rankByWords(threads.data?.items ?? [], query, ({ title }) => title, query === '' ? 4 : MOST);
  const marks = query === '' ? [] : rankByWords(bookmarks.data?.items ?? [], query, ({ title }) => title, MOST);
  const hits = words.length > 1 ? (said.data?.items ?? []) : [];
  return (
    <>
      {titles.length > 0 && (
        <Command.Group heading={query === '' ? 'Recent conversations' : 'Conversations'}>
          {titles.map(({ id, title, updatedAt }) => (
            <PaletteItem
              key={id}
              id={`thread ${id}`}
              icon={<MessageSquare size={14} />}
              aside={ago(updatedAt)}
              onChoose={() => open(toAddress(id))}
            >
              {title || 'Untitled'}
            </PaletteItem>
          ))}
        </Command.Group>
      )}
      {marks.length > 0 && (
        <Command.Group heading="Bookmarks">
          {marks.map(({ id, node, title }) => (
            <PaletteItem
              key={id}
              id={`bookmark ${id}`}
              icon={<BookmarkIcon size={14} />}
              onChoose={() => open(`/c/${node}`)}
            >
              {title || 'Untitled'}
            </PaletteItem>
          ))}
        </Command.Group>
      )}
      {hits.length > 0 && (
        <Command.Group heading="What was said">
          {hits.map(({ node, role, snippet, marks: places }) => (
            <PaletteItem
              key={node}
              id={`hit ${node}`}
              icon={<TextSearch size={14} />}
              aside={role}
              onChoose={() => open(`/c/${node}`)}
            >
              <MarkedText text={snippet} marks={places} />
            </PaletteItem>
          ))}
          <PaletteItem id="all-hits" onChoose={() => open(`/?q=${encodeURIComponent(words)}`)}>
            All messages with “{words}”
          </PaletteItem>
        </Command.Group>
      )}
    </>
  );
}

interface PaletteModelsProps extends PalettePartProps {
  /** Also lists models before anything is typed. */
  readonly isWhole: boolean;
}

/** Chooses the model that is asked next. */
function PaletteModels({ query, isWhole, onDone }: PaletteModelsProps) {
  const { data } = useQuery(queries.models());
  const settings = useQuery(queries.settings());
  const chosen = useView((view) => view.model) ?? settings.data?.model;
  if (!isWhole && query.length < 2) return null;
  const found = rankByWords(data?.items ?? [], query, ({ id }) => id, isWhole ? 200 : 6);
  if (found.length === 0) return null;
  return (
    <Command.Group heading={isWhole ? 'Models of providers that have a key' : 'Ask this model next'}>
      {found.map(({ id, contextTokens, hasKey }) => (
        <PaletteItem
          key={id}
          id={`model ${id}`}
          icon={id === chosen && <Check size={14} className="text-accent" />}
          aside={hasKey ? contextTokens !== undefined && `${shortNumber(contextTokens)} context` : 'no key'}
          onChoose={() => {
            useView.setState({ model: id });
            onDone();
          }}
        >
          {id}
        </PaletteItem>
      ))}
    </Command.Group>
  );
}

interface PaletteItemProps {
  readonly id: string;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
  /** At the end of the line. */
  readonly aside?: ReactNode;
  readonly onChoose: () => void;
}

function PaletteItem({ id, icon, children, aside, onChoose }: PaletteItemProps) {
  return (
    <Command.Item
      value={id}
      onSelect={onChoose}
      className="flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 data-[selected=true]:bg-hover"
    >
      <span className="flex w-4 shrink-0 justify-center text-faint">{icon}</span>
      <span className="min-w-0 grow truncate">{children}</span>
      {aside && <span className="flex shrink-0 gap-1 text-xs text-soft">{aside}</span>}
    </Command.Item>
  );
}

/** Ranks a text for a query, lower is better; undefined if a word of the query is missing. */
function rank(query: readonly string[], text: string): number | undefined {
  let total = 0;
  for (const word of query) {
    const at = text.indexOf(word);
    if (at < 0) return undefined;
    const isWordStart = at === 0 || /[\s/_.-]/.test(text[at - 1]!);
    total += at + (isWordStart ? 0 : 1000);
  }
  return total;
}

/** The items whose text has all words of the query, best first. An empty query keeps all items in their order. */
export function rankByWords<T>(
  items: readonly T[],
  query: string,
  textOf: (item: T) => string,
  limit: number,
): readonly T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items.slice(0, limit);
  const ranked = items.flatMap((item) => {
    const rated = rank(words, textOf(item).toLowerCase());
    return rated === undefined ? [] : [{ item, rated }];
  });
  return ranked
    .sort((a, b) => a.rated - b.rated)
    .slice(0, limit)
    .map(({ item }) => item);
}
