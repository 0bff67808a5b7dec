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
    title: t('screen.forest'),
    href: '/',
    Icon: TreePine,
    keys: ['o f'],
    words: t('screen.forest-words'),
  },
  {
    id: 'graph',
    title: t('screen.graph'),
    href: '/graph',
    Icon: Network,
    keys: ['o g'],
    words: t('screen.graph-words'),
  },
  {
    id: 'compare',
    title: t('screen.compare'),
    href: '/compare',
    Icon: Columns3,
    keys: ['o c'],
    words: t('screen.compare-words'),
  },
  {
    id: 'recordings',
    title: t('screen.recordings'),
    href: '/recordings',
    Icon: Radio,
    keys: ['o r'],
    words: t('screen.recordings-words'),
  },
  {
    id: 'usage',
    title: t('screen.usage'),
    href: '/usage',
    Icon: ChartColumn,
    keys: ['o u'],
    words: t('screen.usage-words'),
  },
  {
    id: 'settings',
    title: t('screen.settings'),
    href: '/settings',
    Icon: Settings,
    keys: ['o s'],
    words: t('screen.settings-words'),
  },
];
