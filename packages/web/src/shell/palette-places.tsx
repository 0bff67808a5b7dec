import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Bookmark, MessageSquare, TextSearch } from 'lucide-react';
import { useDeferredValue } from 'react';
import { useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import { quickSearch } from '../api/search.ts';
import { addressOf } from '../state/address.ts';
import { ago } from '../ui/format.ts';
import { MarkedText } from '../ui/marked-text.tsx';
import { find } from './find.ts';
import type { PalettePartProps } from './palette-commands.tsx';
import { PaletteItem } from './palette-item.tsx';

const MOST = 6;

/** Where one can go: conversations, bookmarks, and every message with these words. */
export function PalettePlaces({ query, onDone }: PalettePartProps) {
  const [, go] = useLocation();
  const words = useDeferredValue(query.trim());
  const threads = useQuery(queries.threads());
  const bookmarks = useQuery(queries.bookmarks());
  const said = useQuery({ ...quickSearch(words), placeholderData: keepPreviousData });
  const open = (href: string) => {
    onDone();
    go(href);
  };
  const titles = find(threads.data?.items ?? [], query, ({ title }) => title, query === '' ? 4 : MOST);
  const marks = query === '' ? [] : find(bookmarks.data?.items ?? [], query, ({ title }) => title, MOST);
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
              onChoose={() => open(addressOf(id))}
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
              icon={<Bookmark size={14} />}
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
