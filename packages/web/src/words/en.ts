import { cache } from './en/cache.ts';
import { compare } from './en/compare.ts';
import { recordings } from './en/recordings.ts';
import { rerun } from './en/rerun.ts';
import { settings } from './en/settings.ts';
import { usage } from './en/usage.ts';

/**
 * The English catalogue: every text of the screens that use it, one file for each. Names in braces are values; a text with `one`
 * and `other` depends on `count`.
 */
export const en = { undo: 'Undo', ...cache, ...compare, ...recordings, ...rerun, ...settings, ...usage } as const;
