import { useLocation } from 'wouter';
import { type Command, useCommandList } from '../commands/registry.ts';
import { useCurrentThread } from '../state/current-thread.ts';
import { openExport, openPalette, useOverlays } from '../state/overlays.ts';
import { setTheme, type Theme } from '../state/theme.ts';
import { useView } from '../state/view.ts';
import { useNarrow } from '../ui/use-media.ts';
import { SCREENS } from './screens.ts';

const THEMES: readonly { readonly theme: Theme; readonly title: string }[] = [
  { theme: 'light', title: 'Light theme' },
  { theme: 'dark', title: 'Dark theme' },
  { theme: 'system', title: 'Theme of the system' },
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
      group: 'Go to',
      keys,
      words,
      run: () => go(href),
    }),
  );
  const themes = THEMES.map(
    ({ theme, title }): Command => ({
      id: `theme.${theme}`,
      title,
      group: 'View',
      words: 'colours',
      run: () => setTheme(theme),
    }),
  );
  useCommandList(
    [
      {
        id: 'go.new',
        title: 'New conversation',
        group: 'Go to',
        keys: ['n'],
        words: 'start write chat',
        run: () => go('/new'),
      },
      ...screens,
      {
        id: 'search',
        title: 'Search everything that was said',
        group: 'Forest',
        keys: ['/'],
        words: 'find full text',
        run: () => {
          go('/');
          useOverlays.setState({ wantsSearch: true });
        },
      },
      {
        id: 'palette',
        title: 'Show all commands',
        group: 'View',
        keys: ['Ctrl+k'],
        whileTyping: true,
        run: () => (useOverlays.getState().palette ? useOverlays.setState({ palette: undefined }) : openPalette()),
      },
      {
        id: 'choose-model',
        title: 'Choose a model',
        group: 'Conversation',
        keys: ['Ctrl+m'],
        words: 'provider switch',
        run: () => openPalette('models'),
      },
      {
        id: 'help',
        title: 'Help: all keys',
        group: 'View',
        keys: ['?'],
        run: () => useOverlays.setState({ help: true }),
      },
      {
        id: 'toggle-forest',
        title: 'Show or hide the forest at the side',
        group: 'View',
        keys: ['\\', 'Ctrl+b'],
        words: 'pane sidebar',
        run: () => toggleForest(isNarrow),
      },
      {
        id: 'toggle-inspector',
        title: 'Show or hide the inspector',
        group: 'View',
        keys: ['p'],
        words: 'pane raw tree usage',
        run: () => useView.setState(({ inspectorOpen }) => ({ inspectorOpen: !inspectorOpen })),
      },
      ...themes,
      ...(thread
        ? [
            {
              id: 'share',
              title: 'Share or export this conversation',
              group: 'Conversation' as const,
              keys: ['S'],
              words: 'page html pdf print markdown download',
              run: () => openExport({ kind: 'thread', id: thread.id, title: thread.title }),
            },
          ]
        : []),
      {
        id: 'export-all',
        title: 'Export the whole forest',
        group: 'Forest',
        words: 'download save backup',
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
