import { useQuery } from '@tanstack/react-query';
import { Circle, FlaskConical, Monitor, Moon, PanelLeft, PanelRight, Search, Sun, TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import { isSamples } from '../api/base.ts';
import { queries } from '../api/queries.ts';
import { keyLabel } from '../commands/keys.ts';
import { AddKey } from '../settings/add-key.tsx';
import { useConnection } from '../state/change-feed.ts';
import { useConversationAddress } from '../state/current-thread.ts';
import { useModel } from '../state/model.ts';
import { openPalette, useOverlays } from '../state/overlays.ts';
import { setTheme, THEME_TITLES, type Theme, useTheme } from '../state/theme.ts';
import { useView } from '../state/view.ts';
import { IconButton } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { Menu } from '../ui/menu.tsx';
import { Popover } from '../ui/popover.tsx';
import { ProviderDot } from '../ui/provider-dot.tsx';
import { tip } from '../ui/tip.tsx';
import { useNarrow } from '../ui/use-media.ts';
import { t } from '../words/words.ts';
import { toggleForest } from './global-commands.ts';

export function TopBar() {
  const isNarrow = useNarrow();
  const isBeside = useView((view) => view.forestOpen);
  const isOver = useOverlays((overlays) => overlays.forest);
  const isOpen = isNarrow ? isOver : isBeside;
  return (
    <header
      data-bar
      className="flex h-11 shrink-0 pointer-coarse:h-13 items-center gap-1 border-b border-line bg-sunken px-2 sm:gap-2"
    >
      <div className="flex shrink-0 items-center gap-1 sm:gap-2 xl:flex-1">
        <IconButton
          label={isOpen ? t('bar.forest-hide') : t('bar.forest-show')}
          keys="\"
          aria-expanded={isOpen}
          className="pointer-coarse:size-10"
          onClick={() => toggleForest(isNarrow)}
        >
          <PanelLeft size={16} />
        </IconButton>
        <Link
          href="/"
          aria-label={t('bar.home')}
          className="flex shrink-0 items-center justify-center gap-1.5 rounded px-1 font-semibold pointer-coarse:h-10 pointer-coarse:min-w-10"
        >
          <img src="/skein.svg" alt="" className="size-5 shrink-0" />
          <span className="max-sm:hidden">Skein</span>
        </Link>
        <DemoBadge />
        <SamplesBadge />
      </div>
      <button
        type="button"
        onClick={() => openPalette()}
        className="mx-auto flex h-7 w-full max-w-md pointer-coarse:h-10 min-w-0 items-center gap-2 rounded-md border border-line bg-surface px-2 text-left text-xs text-faint hover:border-line-strong"
      >
        <Search size={14} aria-hidden className="shrink-0" />
        <span className="grow truncate">{t('palette.placeholder')}</span>
        <span aria-hidden className="max-sm:hidden">
          <Kbd>{keyLabel('Ctrl+k')}</Kbd>
        </span>
      </button>
      <div className="flex min-w-0 shrink-0 items-center justify-end gap-1 sm:gap-2 xl:flex-1">
        <ModelButton />
        <StoreState />
        <ThemeButton />
        <InspectorButton />
      </div>
    </header>
  );
}

/** The model that answers the next message. */
function ModelButton() {
  const id = useModel();
  const [provider, ...name] = (id ?? '').split('/');
  return (
    <button
      type="button"
      {...tip(t('bar.model-title'), 'Ctrl+m')}
      aria-label={id === undefined ? undefined : t('bar.model-label', { id })}
      onClick={() => openPalette('models')}
      className="flex h-7 max-w-44 min-w-0 pointer-coarse:h-10 items-center gap-1.5 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-ink max-md:hidden"
    >
      <ProviderDot provider={provider} />
      <span className="truncate">{id === undefined ? t('palette.choose-model') : name.join('/') || id}</span>
    </button>
  );
}

/** Shows and hides the pane at the right of a conversation: its tree and the details of a message. */
function InspectorButton() {
  const isOpen = useView((view) => view.inspectorOpen);
  if (useConversationAddress() === undefined) return null;
  return (
    <IconButton
      label={isOpen ? t('bar.inspector-hide') : t('bar.inspector-show')}
      keys="p"
      aria-expanded={isOpen}
      className="pointer-coarse:size-10"
      onClick={() => useView.setState({ inspectorOpen: !isOpen })}
    >
      <PanelRight size={16} />
    </IconButton>
  );
}

/** The state of the store and of the recording. */
function StoreState() {
  const health = useQuery(queries.health());
  const settings = useQuery(queries.settings());
  const ofFiles = settings.data?.problems.filter(({ severity }) => severity === 'error') ?? [];
  const problems = [
    ...(health.data?.problems ?? []),
    ...ofFiles.map(({ file, message }) => `${file.split(/[\\/]/).slice(-2).join('/')}: ${message}`),
  ];
  const isAway = useConnection(({ isConnected }) => !isConnected) || health.isError;
  const isWell = !isAway && problems.length === 0;
  const title = isAway ? t('bar.health-unreachable') : isWell ? t('bar.health-good') : t('bar.health-problems');
  return (
    <Popover
      label={t('bar.health-label')}
      trigger={
        <button
          type="button"
          className="flex h-7 shrink-0 items-center justify-center gap-1.5 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-ink pointer-coarse:h-10 pointer-coarse:min-w-10"
        >
          {isWell ? (
            <Circle size={8} aria-hidden className="fill-ok text-ok" />
          ) : (
            <TriangleAlert size={14} aria-hidden className="text-warn" />
          )}
          <span className="max-lg:sr-only">
            {settings.data ? t('bar.health-store', { store: settings.data.store }) : t('bar.health-loading')}
          </span>
          <span className="sr-only">: {title}</span>
        </button>
      }
    >
      <p className="font-medium">{title}</p>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-soft">
        <dt>{t('bar.project')}</dt>
        <dd className="text-ink">{settings.data?.project}</dd>
        <dt>{t('bar.store')}</dt>
        <dd className="text-ink">{settings.data?.store}</dd>
        <dt>{t('bar.recording')}</dt>
        <dd className="text-ink">{t('bar.recording-what')}</dd>
      </dl>
      {problems.length > 0 && (
        <ul className="mt-3 flex flex-col gap-1 border-t border-line pt-2 text-warn">
          {problems.map((problem) => (
            <li key={problem} className="break-words">
              {problem}
            </li>
          ))}
        </ul>
      )}
      <p className="mt-3 flex gap-4 border-t border-line pt-2">
        <Link href="/recordings" className="text-accent hover:underline">
          {t('screen.recordings')}
        </Link>
        <Link href="/settings" className="text-accent hover:underline">
          {t('screen.settings')}
        </Link>
      </p>
    </Popover>
  );
}

/** Shown while no provider has a key: says who answers instead, and how to add a key. */
function DemoBadge() {
  const { data } = useQuery(queries.version());
  if (!data?.demo) return null;
  return (
    <Popover
      label={t('bar.demo-label')}
      trigger={
        <button
          type="button"
          className="flex h-6 shrink-0 pointer-coarse:h-10 items-center justify-center gap-1 rounded-full bg-warn-soft px-2.5 text-xs pointer-coarse:min-w-10 font-medium text-warn"
        >
          <FlaskConical size={12} aria-hidden />
          <span className="max-sm:sr-only">{t('bar.demo')}</span>
        </button>
      }
    >
      <p className="font-medium">{t('bar.demo-title')}</p>
      <p className="mt-1 mb-3 text-soft">{t('bar.demo-about')}</p>
      <AddKey />
    </Popover>
  );
}

/** Shown while the samples are open: leads back to the reader's own conversations. */
function SamplesBadge() {
  if (!isSamples) return null;
  return (
    <a
      href="/"
      aria-label={t('bar.samples-label')}
      title={t('bar.samples-about')}
      className="flex h-6 shrink-0 items-center rounded-full border border-line px-2 text-xs font-medium text-accent hover:underline"
    >
      <span className="max-sm:hidden">{t('bar.samples-label')}</span>
      <span className="sm:hidden">{t('bar.samples-short')}</span>
    </a>
  );
}

const ICONS: Readonly<Record<Theme, typeof Sun>> = { light: Sun, dark: Moon, system: Monitor };

function ThemeButton() {
  const { theme } = useTheme();
  const Icon = ICONS[theme];
  return (
    <Menu
      trigger={
        <IconButton label={t('bar.theme-label', { value: THEME_TITLES[theme] })} className="pointer-coarse:size-10">
          <Icon size={16} />
        </IconButton>
      }
      title={t('bar.theme')}
      items={(['light', 'dark', 'system'] as const).map((one) => {
        const Own = ICONS[one];
        return { title: THEME_TITLES[one], icon: <Own size={14} />, run: () => setTheme(one) };
      })}
    />
  );
}
