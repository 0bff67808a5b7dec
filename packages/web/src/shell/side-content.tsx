import { useQuery } from '@tanstack/react-query';
import { Columns3, type LucideIcon, Network, Radio, Settings, SquarePen, TreePine } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import { tagsOf } from '../api/tags-of.ts';
import { useAddressedPlace } from '../state/current-thread.ts';
import { useListRows } from '../state/unfolded.ts';
import { ChoiceField } from '../ui/field.tsx';
import { Failed, Loading } from '../ui/states.tsx';
import { SideList } from './side-list.tsx';
import { sideRows } from './side-rows.ts';

const SCREENS: readonly { readonly title: string; readonly href: string; readonly Icon: LucideIcon }[] = [
  { title: 'Forest', href: '/', Icon: TreePine },
  { title: 'Graph', href: '/graph', Icon: Network },
  { title: 'Compare', href: '/compare', Icon: Columns3 },
  { title: 'Recordings', href: '/recordings', Icon: Radio },
  { title: 'Settings', href: '/settings', Icon: Settings },
];

export function SideContent() {
  const [place] = useLocation();
  const [tag, setTag] = useState('');
  const threads = useQuery(queries.threads());
  const bookmarks = useQuery(queries.bookmarks());
  const all = threads.data?.items ?? [];
  const tags = tagsOf(all);
  const isKnown = tags.includes(tag);
  const shown = isKnown ? all.filter((thread) => thread.tags.includes(tag)) : all;
  const rows = useListRows(shown, useAddressedPlace()?.thread);
  return (
    <>
      <div className="flex shrink-0 flex-col gap-2 p-2">
        <Link
          href="/new"
          className="flex h-8 items-center justify-center gap-2 rounded-md border border-line bg-surface font-medium hover:bg-hover"
        >
          <SquarePen size={14} aria-hidden />
          New conversation
        </Link>
        <ul aria-label="Screens">
          {SCREENS.map(({ title, href, Icon }) => {
            const isHere = href === '/' ? place === '/' : place.startsWith(href);
            return (
              <li key={href}>
                <Link
                  href={href}
                  {...(isHere && { 'aria-current': 'page' as const })}
                  className={`flex h-7 items-center gap-2 rounded-md px-2 ${isHere ? 'bg-accent-soft font-medium text-accent' : 'text-soft hover:bg-hover hover:text-ink'}`}
                >
                  <Icon size={14} aria-hidden />
                  {title}
                </Link>
              </li>
            );
          })}
        </ul>
        {tags.length > 0 && (
          <ChoiceField
            label="Conversations with the tag"
            className="h-7 text-xs"
            value={isKnown ? tag : ''}
            onChoose={setTag}
            choices={[{ value: '', title: 'All tags' }, ...tags.map((one) => ({ value: one, title: `Tag: ${one}` }))]}
          />
        )}
      </div>
      {threads.isPending ? (
        <Loading lines={6} />
      ) : threads.isError ? (
        <Failed error={threads.error} onRetry={() => void threads.refetch()} />
      ) : (
        <SideList rows={sideRows(rows, isKnown ? [] : (bookmarks.data?.items ?? []))} />
      )}
    </>
  );
}
