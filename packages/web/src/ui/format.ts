import type { Usage } from '../api/types.ts';
import { LANGUAGE, t } from '../words/words.ts';

/** 1234 → 1.2k */
export function shortNumber(value: number): string {
  if (value < 1000) return String(value);
  const [divided, unit] = value < 1_000_000 ? [value / 1000, 'k'] : [value / 1_000_000, 'M'];
  return `${divided < 10 ? divided.toFixed(1).replace(/\.0$/, '') : Math.round(divided)}${unit}`;
}

/** US dollars, with more digits for small amounts. */
export function money(value: number): string {
  if (value === 0) return '$0';
  if (value < 0.0001) return '<$0.0001';
  return `$${value.toFixed(value < 0.01 ? 4 : value < 1 ? 3 : 2)}`;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto' });

const days = new Intl.DateTimeFormat(LANGUAGE, { year: 'numeric', month: 'short', day: 'numeric' });

/** A relative time such as "5 minutes ago", or a date when it is more than a week ago. */
export function ago(at: number, now = Date.now()): string {
  const seconds = Math.round((at - now) / 1000);
  if (seconds > -45) return t('ui.just-now');
  if (seconds > -3600) return relative.format(Math.round(seconds / 60), 'minute');
  if (seconds > -86_400) return relative.format(Math.round(seconds / 3600), 'hour');
  if (seconds > -7 * 86_400) return relative.format(Math.round(seconds / 86_400), 'day');
  return days.format(at);
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  return count < 1024 ** 2 ? `${(count / 1024).toFixed(1)} kB` : `${(count / 1024 ** 2).toFixed(1)} MB`;
}

export function shortId(id: string): string {
  return id.slice(0, 8);
}

export function totalTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.output + usage.reasoning;
}
