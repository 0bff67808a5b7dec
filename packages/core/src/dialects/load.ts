import { bedrock } from './bedrock-converse/provider.ts';
import { cohere } from './cohere-chat/provider.ts';
import type { Dialect } from './dialect.ts';
import { googleInteractionsHome } from './google-interactions/provider.ts';
import { dialect } from './registry.ts';

/** The dialects that the main entry leaves out, by id. */
const LOADERS: ReadonlyMap<string, () => Promise<unknown>> = /* @__PURE__ */ new Map<string, () => Promise<unknown>>([
  [bedrock.dialect, () => import('./bedrock-converse/index.ts')],
  [cohere.dialect, () => import('./cohere-chat/index.ts')],
  [googleInteractionsHome.dialect, () => import('./google-interactions/index.ts')],
]);

/**
 * The dialect with that id. One that the main entry leaves out is loaded first; from then on `dialect` finds it, too.
 *
 * @example
 * const { message } = (await loadDialect(origin.dialect)).readResponse(text);
 */
export async function loadDialect(id: string): Promise<Dialect> {
  await LOADERS.get(id)?.();
  return dialect(id);
}

/** Loads the dialects that a saved text names, so that it can be read. */
export async function loadDialectsIn(saved: unknown): Promise<void> {
  const text = ArrayBuffer.isView(saved) ? new TextDecoder().decode(saved as Uint8Array) : saved;
  if (typeof text !== 'string') return;
  for (const [id, load] of LOADERS) if (text.includes(`"${id}"`)) await load();
}
