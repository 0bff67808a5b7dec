import type { Dialect } from './dialect.ts';
import { dialect, dialects } from './registry.ts';

/**
 * The dialect with that id. Those that the main entry leaves out are loaded first; from then on `dialect` finds them, too.
 *
 * @example
 * const { message } = (await loadDialect(origin.dialect)).readResponse(text);
 */
export async function loadDialect(id: string): Promise<Dialect> {
  if (!dialects().some((known) => known.id === id)) await import('./more.ts');
  return dialect(id);
}
