import { Unplug } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useLayoutEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import { foldDigits, type KeyRow, keyLabel, listenToKeys } from '../commands/keys.ts';
import { GROUPS, groupName, useCommands } from '../commands/registry.ts';
import { screenTitle } from '../state/address.ts';
import { followChanges, useConnection } from '../state/change-feed.ts';
import { useConversationAddress, useCurrentThread } from '../state/current-thread.ts';
import { useOverlays } from '../state/overlays.ts';
import { useView } from '../state/view.ts';
import { ExportDialog } from '../threads/export-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { Sheet } from '../ui/modal.tsx';
import { Tips } from '../ui/tip.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { useNarrow } from '../ui/use-media.ts';
import { t } from '../words/words.ts';
import { Palette } from './command-palette.tsx';
import { useGlobalCommands } from './global-commands.ts';
import { SideContent } from './side-list.tsx';
import { TopBar } from './top-bar.tsx';

/** The frame around every screen: top bar, side bar, dialogs and toasts. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const isConnected = useConnection((connection) => connection.isConnected);
  const forestOpen = useView((view) => view.forestOpen);
  const isNarrow = useNarrow();
  const palette = useOverlays((overlays) => overlays.palette);
  useEffect(followChanges, []);
  useLayoutEffect(listenToKeys, []);
  useGlobalCommands();
  useScreenTitle();
  return (
    <div className="flex h-full flex-col">
      <a
        href="#screen"
        className="absolute top-1 left-1 z-50 -translate-y-20 rounded-md bg-accent px-3 py-1.5 font-medium text-accent-ink focus:translate-y-0"
      >
        {t('shell.skip')}
      </a>
      <TopBar />
      {!isConnected && <ConnectionBanner />}
      <div className="flex min-h-0 grow">
        {isNarrow ? <SidePane /> : forestOpen && <SideBar />}
        <main id="screen" tabIndex={-1} className="min-w-0 grow outline-none">
          <ConversationHeading />
          {children}
        </main>
      </div>
      {palette && <Palette page={palette} />}
      <HelpSheet />
      <ExportDialog />
      <Toasts />
      <Tips />
    </div>
  );
}

/** Shown while the server does not answer. The screen stays as it is, and the page reconnects by itself. */
function ConnectionBanner() {
  return (
    <div
      role="alert"
      className="flex shrink-0 items-center justify-center gap-2 border-b border-line bg-warn-soft px-3 py-1 text-xs text-warn"
    >
      <Unplug size={14} aria-hidden className="shrink-0" />
      {t('shell.disconnected')}
    </div>
  );
}

const LEAST = 200;
const MOST = 480;

/** The list of conversations beside every screen. */
function SideBar() {
  const width = useView((view) => view.forestWidth);
  return (
    <nav aria-label={t('screen.forest')} className="flex shrink-0">
      <div className="flex flex-col bg-sunken" style={{ width }}>
        <SideContent />
      </div>
      <Resizer
        label={t('shell.forest-width')}
        width={width}
        least={LEAST}
        most={MOST}
        of="left"
        onResize={(forestWidth) => useView.setState({ forestWidth })}
      />
    </nav>
  );
}

const close = () => useOverlays.setState({ forest: false });

/** The list of conversations as an overlay, for narrow windows. */
function SidePane() {
  const isOpen = useOverlays((overlays) => overlays.forest);
  const [place] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere wants to see it
  useEffect(close, [place]);
  return (
    <Sheet open={isOpen} onClose={close} title={t('screen.forest')} from="left">
      <nav aria-label={t('screen.forest')} className="flex min-h-0 grow flex-col">
        <SideContent />
      </nav>
    </Sheet>
  );
}

interface ResizerProps {
  readonly label: string;
  readonly width: number;
  readonly least: number;
  readonly most: number;
  /** The neighbour that becomes wider when the line moves to the right. */
  readonly of: 'left' | 'right';
  readonly onResize: (width: number) => void;
}

const STEP = 16;

/** The line between two panes, moved by dragging or with the arrow keys. */
function Resizer({ label, width, least, most, of, onResize }: ResizerProps) {
  const sign = of === 'left' ? 1 : -1;
  const set = (wanted: number) => onResize(Math.round(Math.min(most, Math.max(least, wanted))));
  const drag = (down: PointerEvent<HTMLElement>) => {
    const line = down.currentTarget;
    line.setPointerCapture(down.pointerId);
    const move = (event: globalThis.PointerEvent) => set(width + sign * (event.clientX - down.clientX));
    const end = () => line.removeEventListener('pointermove', move);
    line.addEventListener('pointermove', move);
    line.addEventListener('lostpointercapture', end, { once: true });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    set(width + sign * (event.key === 'ArrowRight' ? STEP : -STEP));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line that can be moved; <hr> cannot have the focus
    <div
      role="separator"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={press}
      className="relative z-10 -mx-1 w-2 shrink-0 cursor-col-resize touch-none after:absolute after:inset-y-0 after:left-1/2 after:w-px after:bg-line hover:after:w-0.5 hover:after:bg-accent"
    />
  );
}

/** The heading of a conversation for screen readers; others see its title in the list. */
function ConversationHeading() {
  const place = useConversationAddress();
  const thread = useCurrentThread();
  return place ? <h1 className="sr-only">{thread?.title || t('shell.conversation')}</h1> : null;
}

/** Sets the title of the browser tab to the current screen. */
function useScreenTitle(): void {
  const [path] = useLocation();
  const search = useSearch();
  const thread = useCurrentThread()?.title;
  useEffect(() => {
    document.title = screenTitle(path, search, thread);
  }, [path, search, thread]);
}

/** The list of all keys: those of the current screen, and those of a conversation. */
function HelpSheet() {
  const isOpen = useOverlays((overlays) => overlays.help);
  return (
    <Dialog wide open={isOpen} onClose={() => useOverlays.setState({ help: false })} title={t('help.title')}>
      <Keys />
    </Dialog>
  );
}

function Keys() {
  const { commands } = useCommands();
  const here = new Set([...commands.values()].flatMap(({ keys = [] }) => keys));
  const withKeys = [...commands.values()].flatMap(({ id, title, group, keys }) =>
    keys?.length ? [{ id, title, group, keys }] : [],
  );
  const elsewhere = FIXED_KEYS.filter(({ keys }) => !keys.some((key) => here.has(key)));
  return (
    <div className="gap-x-8 sm:columns-2">
      {GROUPS.map((group) => {
        const rows = foldDigits(withKeys.filter((command) => command.group === group));
        return rows.length > 0 && <Section key={group} title={groupName(group)} rows={rows} />;
      })}
      <Section title={t('help.conversation')} rows={elsewhere} />
    </div>
  );
}

function Section({ title, rows }: { readonly title: string; readonly rows: readonly KeyRow[] }) {
  if (rows.length === 0) return null;
  return (
    <section className="mb-6 break-inside-avoid">
      <h3 className="mb-1 text-xs font-semibold text-faint">{title}</h3>
      <dl>
        {rows.map((row) => (
          <div key={row.id} className="flex items-center justify-between gap-4 border-b border-line py-1 last:border-0">
            <dt className="min-w-0">{row.title}</dt>
            <dd className="flex shrink-0 gap-1">
              {row.keys.map((key) => (
                <Kbd key={key}>{keyLabel(key)}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The keys of a conversation, listed so that the sheet is complete on every screen. */
const FIXED_KEYS: readonly { readonly id: string; readonly title: string; readonly keys: readonly string[] }[] = [
  { id: 'siblings', title: t('help.siblings'), keys: ['Alt+ArrowUp', 'Alt+ArrowDown', 'k', 'j'] },
  { id: 'parent', title: t('help.parent'), keys: ['Alt+ArrowLeft', 'h'] },
  { id: 'child', title: t('help.child'), keys: ['Alt+ArrowRight', 'l'] },
  { id: 'forks', title: t('help.forks'), keys: ['[', ']'] },
  { id: 'send', title: t('help.send'), keys: ['Ctrl+Enter'] },
  { id: 'send-only', title: t('help.send-only'), keys: ['Ctrl+Shift+Enter'] },
  { id: 'generate', title: t('help.generate'), keys: ['g', 'g 3'] },
  { id: 'edit', title: t('help.edit'), keys: ['e'] },
  { id: 'bookmark', title: t('help.bookmark'), keys: ['b'] },
  { id: 'compare', title: t('help.compare'), keys: ['c'] },
  { id: 'tree', title: t('help.tree'), keys: ['t'] },
  { id: 'raw', title: t('help.raw'), keys: ['r'] },
  { id: 'fold', title: t('help.fold'), keys: ['Space'] },
  { id: 'delete', title: t('help.delete'), keys: ['x'] },
  { id: 'stop', title: t('help.stop'), keys: ['Escape'] },
];
