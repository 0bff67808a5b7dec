import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  Bookmark as BookmarkIcon,
  Check,
  ChevronRight,
  MessageSquare,
  MousePointerClick,
  TextSearch,
} from 'lucide-react';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import { quickSearch } from '../api/search.ts';
import type { Model } from '../api/types.ts';
import { keyLabel } from '../commands/keys.ts';
import { GROUPS, groupName, useCommands } from '../commands/registry.ts';
import { toAddress } from '../state/address.ts';
import { groupModels } from '../state/group-models.ts';
import { useModel } from '../state/model.ts';
import { type PalettePage, useOverlays } from '../state/overlays.ts';
import { chooseModel } from '../state/view.ts';
import { ago, shortNumber } from '../ui/format.ts';
import { Kbd } from '../ui/kbd.tsx';
import { MarkedText } from '../ui/marked-text.tsx';
import { Modal } from '../ui/modal.tsx';
import { type OptionGroup, OptionList } from '../ui/option-list.tsx';
import { t } from '../words/words.ts';
import { listScreenActions } from './screen-actions.ts';
import { SCREENS } from './screens.ts';

const close = () => useOverlays.setState({ palette: undefined });

/** Closes the palette first, so that a field can take the focus. */
const afterClosing = (run: () => void) => () => {
  close();
  requestAnimationFrame(run);
};

/**
 * The command palette: finds commands, conversations, messages, bookmarks and models by name. It belongs to the first load: letters
 * that are typed right after its key would land in the field behind it while it is loaded.
 */
export function Palette({ page }: { readonly page: PalettePage }) {
  const [query, setQuery] = useState('');
  const places = usePlaces(query);
  const commands = useFoundCommands(query);
  const controls = useFoundControls(query);
  const model = useModel();
  const models = useFoundModels(query, model, page === 'models');
  const groups = page === 'models' ? models : [...places, ...commands, ...controls, ...models];
  const label = page === 'models' ? t('palette.choose-model') : t('palette.label');
  return (
    <Modal
      onClose={close}
      label={label}
      className="mx-auto mt-[10dvh] mb-auto w-[calc(100vw-1rem)] max-w-xl rounded-xl border border-line max-sm:mt-2"
    >
      <OptionList
        label={label}
        placeholder={page === 'models' ? t('palette.choose-model') : t('palette.placeholder')}
        query={query}
        onQuery={setQuery}
        current={page === 'models' ? model : undefined}
        groups={groups.filter(({ options }) => options.length > 0)}
        empty={t('palette.nothing')}
        fieldClassName="h-12 w-full shrink-0 border-b border-line bg-transparent px-4 text-base outline-none placeholder:text-faint"
        listClassName="max-h-[60dvh] p-1.5"
      />
    </Modal>
  );
}

/** The icon of a screen for the command that leads there; other commands share one. */
function commandIcon(id: string): ReactNode {
  const { Icon = ChevronRight } = SCREENS.find((screen) => `go.${screen.id}` === id) ?? {};
  return <Icon size={14} />;
}

/** The commands of the current screen, by group. */
function useFoundCommands(query: string): readonly OptionGroup[] {
  const { commands } = useCommands();
  const offered = [...commands.values()].filter(({ id }) => id !== 'palette');
  const found = rankByWords(
    offered,
    query,
    ({ title, group, words = '' }) => `${title} ${groupName(group)} ${words}`,
    100,
  );
  return GROUPS.map((group) => ({
    heading: groupName(group),
    options: found
      .filter((command) => command.group === group)
      .map(({ id, title, keys = [], run }) => ({
        id: `command ${id}`,
        icon: commandIcon(id),
        text: title,
        aside: keys.length > 0 && (
          <span className="flex gap-1 pointer-coarse:hidden">
            {keys.map((key) => (
              <Kbd key={key}>{keyLabel(key)}</Kbd>
            ))}
          </span>
        ),
        run: afterClosing(run),
      })),
  }));
}

const MOST = 6;

/** What can be pressed or filled in on the screen behind the palette, and is no command. */
function useFoundControls(query: string): readonly OptionGroup[] {
  const [controls] = useState(listScreenActions);
  const { commands } = useCommands();
  if (query.trim() === '') return [];
  const titles = new Set([...commands.values()].map(({ title }) => title));
  const others = controls.filter(({ name }) => !titles.has(name));
  return [
    {
      heading: t('palette.on-screen'),
      options: rankByWords(others, query, ({ name }) => name, MOST).map(({ name, run }) => ({
        id: `control ${name}`,
        icon: <MousePointerClick size={14} />,
        text: name,
        run: afterClosing(run),
      })),
    },
  ];
}

/** The places to go to: conversations, bookmarks and messages that match. */
function usePlaces(query: string): readonly OptionGroup[] {
  const [, go] = useLocation();
  const words = useDeferredValue(query.trim());
  const threads = useQuery(queries.threads());
  const bookmarks = useQuery(queries.bookmarks());
  const said = useQuery({ ...quickSearch(words), placeholderData: keepPreviousData });
  const open = (href: string) => () => {
    close();
    go(href);
  };
  const titles = rankByWords(threads.data?.items ?? [], query, ({ title }) => title, query === '' ? 4 : MOST);
  const marks = query === '' ? [] : rankByWords(bookmarks.data?.items ?? [], query, ({ title }) => title, MOST);
  const hits = words.length > 1 ? (said.data?.items ?? []) : [];
  return [
    {
      heading: query === '' ? t('palette.recent') : t('palette.conversations'),
      options: titles.map(({ id, title, updatedAt }) => ({
        id: `thread ${id}`,
        icon: <MessageSquare size={14} />,
        text: title || t('palette.untitled'),
        aside: ago(updatedAt),
        run: open(toAddress(id)),
      })),
    },
    {
      heading: t('palette.bookmarks'),
      options: marks.map(({ id, node, title }) => ({
        id: `bookmark ${id}`,
        icon: <BookmarkIcon size={14} />,
        text: title || t('palette.untitled'),
        run: open(`/c/${node}`),
      })),
    },
    {
      heading: t('palette.messages'),
      options: [
        ...hits.map(({ node, role, snippet, marks: marked }) => ({
          id: `hit ${node}`,
          icon: <TextSearch size={14} />,
          text: <MarkedText text={snippet} marks={marked} />,
          aside: role,
          run: open(`/c/${node}`),
        })),
        ...(hits.length === 0
          ? []
          : [
              {
                id: 'all-hits',
                icon: <TextSearch size={14} />,
                text: t('palette.all-messages', { words }),
                run: open(`/?q=${encodeURIComponent(words)}`),
              },
            ]),
      ],
    },
  ];
}

/** Chooses the model that is asked next. `isWhole` also lists models before anything is typed. */
function useFoundModels(query: string, current: string | undefined, isWhole: boolean): readonly OptionGroup[] {
  const { data } = useQuery(queries.models());
  if (!isWhole && query.length < 2) return [];
  const toOption = ({ id, contextTokens, hasKey }: Model) => ({
    id,
    icon: id === current ? <Check size={14} className="text-accent" /> : null,
    text: id,
    aside: hasKey
      ? contextTokens !== undefined && t('palette.model-context', { number: shortNumber(contextTokens) })
      : t('palette.model-no-key'),
    run: () => {
      chooseModel(id);
      close();
    },
  });
  const groups = groupModels(data?.items ?? [], query, isWhole ? current : undefined);
  if (isWhole)
    return groups.map(({ provider, models, more }) => ({
      heading: provider,
      options: models.map(toOption),
      note: more > 0 ? t('composer.models-more', { count: more }) : undefined,
    }));
  const found = groups.flatMap(({ models }) => models).slice(0, MOST);
  return [{ heading: t('palette.ask-model'), options: found.map(toOption) }];
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
