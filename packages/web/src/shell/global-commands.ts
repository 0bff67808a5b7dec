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
  { theme: 'light', title: t('shell.light-theme') },
  { theme: 'dark', title: t('shell.dark-theme') },
  { theme: 'system', title: t('shell.theme-of-the') },
];

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
      words: t('shell.colours'),
      run: () => setTheme(theme),
    }),
  );
  useCommandList(
    [
      {
        id: 'go.new',
        title: t('shell.new-conversation'),
        group: 'go',
        keys: ['n'],
        words: t('shell.start-write-chat'),
        run: () => go('/new'),
      },
      ...screens,
      {
        id: 'search',
        title: t('shell.search-everything-that'),
        group: 'forest',
        keys: ['/'],
        words: t('shell.find-full-text'),
        run: () => {
          go('/');
          useOverlays.setState({ wantsSearch: true });
        },
      },
      {
        id: 'palette',
        title: t('shell.show-all-commands'),
        group: 'view',
        keys: ['Ctrl+k'],
        whileTyping: true,
        run: () => (useOverlays.getState().palette ? useOverlays.setState({ palette: undefined }) : openPalette()),
      },
      {
        id: 'choose-model',
        title: t('shell.choose-a-model'),
        group: 'conversation',
        keys: ['Ctrl+m'],
        words: t('shell.provider-switch'),
        run: () => openPalette('models'),
      },
      {
        id: 'help',
        title: t('shell.help-all-keys'),
        group: 'view',
        keys: ['?'],
        run: () => useOverlays.setState({ help: true }),
      },
      {
        id: 'toggle-forest',
        title: t('shell.show-or-hide'),
        group: 'view',
        keys: ['\\', 'Ctrl+b'],
        words: t('shell.pane-sidebar'),
        run: () => toggleForest(isNarrow),
      },
      {
        id: 'toggle-inspector',
        title: t('shell.show-or-hide-the'),
        group: 'view',
        keys: ['p'],
        words: t('shell.pane-raw-tree'),
        run: () => useView.setState(({ inspectorOpen }) => ({ inspectorOpen: !inspectorOpen })),
      },
      ...themes,
      ...(thread
        ? [
            {
              id: 'share',
              title: t('shell.share-or-export'),
              group: 'conversation' as const,
              keys: ['S'],
              words: t('shell.page-html-pdf'),
              run: () => openExport({ kind: 'thread', id: thread.id, title: thread.title }),
            },
          ]
        : []),
      {
        id: 'export-all',
        title: t('shell.export-the-whole'),
        group: 'forest',
        words: t('shell.download-save-backup'),
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
