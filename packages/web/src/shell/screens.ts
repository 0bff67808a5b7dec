import { ChartColumn, Columns3, type LucideIcon, Network, Radio, Settings, TreePine } from 'lucide-react';
import { t } from '../words/words.ts';

interface Screen {
  readonly id: string;
  readonly title: string;
  readonly href: string;
  readonly Icon: LucideIcon;
  /** A sequence that begins with `o`. */
  readonly keys: readonly string[];
  /** Other words to find it by. */
  readonly words: string;
}

/** The screens that are always one step away: in the side bar, by key and in the palette. */
export const SCREENS: readonly Screen[] = [
  {
    id: 'forest',
    title: t('shell.forest'),
    href: '/',
    Icon: TreePine,
    keys: ['o f'],
    words: t('shell.conversations-home-list'),
  },
  { id: 'graph', title: t('shell.graph'), href: '/graph', Icon: Network, keys: ['o g'], words: t('shell.tree-map') },
  {
    id: 'compare',
    title: t('shell.compare'),
    href: '/compare',
    Icon: Columns3,
    keys: ['o c'],
    words: t('shell.side-by-side'),
  },
  {
    id: 'recordings',
    title: t('shell.recordings'),
    href: '/recordings',
    Icon: Radio,
    keys: ['o r'],
    words: t('shell.proxy-calls-exchanges'),
  },
  {
    id: 'usage',
    title: t('shell.usage'),
    href: '/usage',
    Icon: ChartColumn,
    keys: ['o u'],
    words: t('shell.cost-spending-money'),
  },
  {
    id: 'settings',
    title: t('shell.settings'),
    href: '/settings',
    Icon: Settings,
    keys: ['o s'],
    words: t('shell.providers-keys-agents'),
  },
];
