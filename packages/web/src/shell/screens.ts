import { ChartColumn, Columns3, type LucideIcon, Network, Radio, Settings, TreePine } from 'lucide-react';

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
  { id: 'forest', title: 'Forest', href: '/', Icon: TreePine, keys: ['o f'], words: 'conversations home list' },
  { id: 'graph', title: 'Graph', href: '/graph', Icon: Network, keys: ['o g'], words: 'tree map' },
  { id: 'compare', title: 'Compare', href: '/compare', Icon: Columns3, keys: ['o c'], words: 'side by side diff' },
  {
    id: 'recordings',
    title: 'Recordings',
    href: '/recordings',
    Icon: Radio,
    keys: ['o r'],
    words: 'proxy calls exchanges',
  },
  {
    id: 'usage',
    title: 'Usage',
    href: '/usage',
    Icon: ChartColumn,
    keys: ['o u'],
    words: 'cost spending money tokens budget chart',
  },
  {
    id: 'settings',
    title: 'Settings',
    href: '/settings',
    Icon: Settings,
    keys: ['o s'],
    words: 'providers keys agents tools models',
  },
];
