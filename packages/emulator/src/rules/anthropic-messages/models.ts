/** What a Claude model allows, by its name. Unknown names count as the newest model. */

export interface Model {
  /** opus, sonnet, haiku, fable, mythos; '' when unknown. */
  readonly family: string;
  /** 4.5 is 4.05, so that 4.10 would sort after 4.9. */
  readonly version: number;
}

const FAMILIES = 'opus|sonnet|haiku|fable|mythos';
const NEWEST = Number.POSITIVE_INFINITY;
const version = (major: string, minor = '0'): number => Number(major) + Number(minor) / 100;

export function parseModel(name: string): Model {
  // claude-opus-4-8, eu.anthropic.claude-haiku-4-5-20251001-v1:0, claude-sonnet-4@20250514
  const modern = new RegExp(`claude-(${FAMILIES})-(\\d{1,2})(?:[-.](\\d{1,2}))?(?!\\d)`).exec(name);
  if (modern) return { family: modern[1] ?? '', version: version(modern[2] ?? '', modern[3]) };
  // claude-3-opus-20240229, claude-3-5-sonnet-latest
  const old = new RegExp(`claude-(\\d)(?:[-.](\\d{1,2}))?-(${FAMILIES})`).exec(name);
  if (old) return { family: old[3] ?? '', version: version(old[1] ?? '', old[2]) };
  const ancient = /claude-(?:instant-)?v?([12])(?:\.(\d))?\b/.exec(name);
  if (ancient) return { family: '', version: version(ancient[1] ?? '', ancient[2]) };
  return { family: new RegExp(`claude-(${FAMILIES})\\b`).exec(name)?.[1] ?? '', version: NEWEST };
}

const since = (major: number, minor: number) => (m: Model) => m.version >= major + minor / 100;
const special = (m: Model) => m.family === 'fable' || m.family === 'mythos';

const since46 = since(4, 6);
/** `system` inside `messages`: Opus 4.8, and every model from 5 on. */
export const takesSystemRole = (m: Model): boolean => since(5, 0)(m) || (m.family === 'opus' && since(4, 8)(m));
export const takesPrefill = (m: Model): boolean => !since46(m);
export const takesEnabledThinking = (m: Model): boolean => !since(4, 7)(m);
export const takesAdaptiveThinking = since46;
/** Thinking can always be disabled with Haiku. */
export const takesDisabledThinking = (m: Model): boolean => !special(m) && !(since(5, 5)(m) && m.family !== 'haiku');
export const takesForcedTool = (m: Model): boolean => !special(m) && !since(5, 5)(m);
/** Preserved thinking: refused from 5.1 on, while Mythos only records (wire-rules "Unsure" 3). */
export const bindsPrefix = (m: Model): boolean => since(5, 1)(m) && m.family !== 'mythos';

/** Supported effort levels in the API's (alphabetical) order. */
export function effortLevels(m: Model): readonly string[] {
  if (since(4, 7)(m)) return ['high', 'low', 'max', 'medium', 'xhigh'];
  if (since46(m)) return ['high', 'low', 'max', 'medium'];
  return m.family === 'opus' && since(4, 5)(m) ? ['high', 'low', 'medium'] : [];
}
