import { useLocation } from 'wouter';
import { type Command, useCommandList } from '../commands/registry.ts';
import { useCurrentThread } from '../state/current-thread.ts';
import { openExport, openPalette, useOverlays } from '../state/overlays.ts';
import { setTheme, type Theme } from '../state/theme.ts';
import { useView } from '../state/view.ts';
import { useNarrow } from '../ui/use-media.ts';
import { t } from '../words/words.ts';
import { SCREENS } from './screens.ts';

const THEMES: readonly { readonly theme: Theme; readonly title: string }[] = [
  { theme: 'light', title: t('command.light') },
  { theme: 'dark', title: t('command.dark') },
  { theme: 'system', title: t('command.system-theme') },
];

/** Places within the screens. */
const PLACES = [
  { id: 'go.archived', title: t('command.archived'), href: '/?view=archived' },
  { id: 'go.bookmarks', title: t('palette.bookmarks'), href: '/?view=bookmarks' },
  { id: 'go.deleted', title: t('command.deleted'), href: '/?view=deleted' },
  { id: 'go.again', title: t('rerun.title'), href: '/compare?again' },
  {
    id: 'go.cassettes',
    title: t('recordings.cassettes'),
    words: t('command.cassettes-words'),
    href: '/recordings/cassettes',
  },
] as const;

/** The commands that every screen offers. */
export function useGlobalCommands(): void {
  const [, go] = useLocation();
  const isNarrow = useNarrow();
  const thread = useCurrentThread();
  const screens = SCREENS.map(
    ({ id, title, href, keys, words }): Command => ({
      id: `go.${id}`,
      title,
      group: 'go',
      keys,
      words,
      run: () => go(href),
    }),
  );
  const themes = THEMES.map(
    ({ theme, title }): Command => ({
      id: `theme.${theme}`,
      title,
      group: 'view',
      words: t('command.theme-words'),
      run: () => setTheme(theme),
    }),
  );
  const enterSends = useView((view) => view.enterSends);
  useCommandList(
    [
      {
        id: 'go.new',
        title: t('command.new'),
        group: 'go',
        keys: ['n'],
        words: t('command.new-words'),
        run: () => go('/new'),
      },
      ...screens,
      ...PLACES.map(({ href, ...place }) => ({ ...place, group: 'go' as const, run: () => go(href) })),
      {
        id: 'enter-sends',
        title: enterSends ? t('command.enter-breaks') : t('command.enter-sends'),
        group: 'view',
        words: t('command.enter-words'),
        run: () => useView.setState({ enterSends: !enterSends }),
      },
      {
        id: 'search',
        title: t('command.search'),
        group: 'forest',
        keys: ['/'],
        words: t('command.search-words'),
        run: () => {
          go('/');
          useOverlays.setState({ wantsSearch: true });
        },
      },
      {
        id: 'palette',
        title: t('command.palette'),
        group: 'view',
        keys: ['Ctrl+k'],
        whileTyping: true,
        run: () => (useOverlays.getState().palette ? useOverlays.setState({ palette: undefined }) : openPalette()),
      },
      {
        id: 'choose-model',
        title: t('palette.choose-model'),
        group: 'conversation',
        keys: ['Ctrl+m'],
        words: t('command.model-words'),
        run: () => openPalette('models'),
      },
      {
        id: 'help',
        title: t('command.help'),
        group: 'view',
        keys: ['?'],
        run: () => useOverlays.setState({ help: true }),
      },
      {
        id: 'toggle-forest',
        title: t('command.forest'),
        group: 'view',
        keys: ['\\', 'Ctrl+b'],
        words: t('command.forest-words'),
        run: () => toggleForest(isNarrow),
      },
      {
        id: 'toggle-inspector',
        title: t('command.inspector'),
        group: 'view',
        keys: ['p'],
        words: t('command.inspector-words'),
        run: () => useView.setState(({ inspectorOpen }) => ({ inspectorOpen: !inspectorOpen })),
      },
      ...themes,
      ...(thread
        ? [
            {
              id: 'share',
              title: t('command.share'),
              group: 'conversation' as const,
              keys: ['S'],
              words: t('command.share-words'),
              run: () => openExport({ kind: 'thread', id: thread.id, title: thread.title }),
            },
          ]
        : []),
      {
        id: 'export-all',
        title: t('command.export-all'),
        group: 'forest',
        words: t('command.export-all-words'),
        run: () => openExport({ kind: 'everything' }),
      },
    ],
    true,
  );
}

/** On a narrow screen the list lies over the rest, and whether it is open is not remembered. */
export function toggleForest(isNarrow: boolean): void {
  if (isNarrow) useOverlays.setState(({ forest }) => ({ forest: !forest }));
  else useView.setState(({ forestOpen }) => ({ forestOpen: !forestOpen }));
}
