import { SkeinError } from '../error.ts';
import { addDialect, added } from './added.ts';
import { bedrock } from './bedrock-converse/provider.ts';
import { anthropicMessages, blocks, googleGenerateContent, openaiChat, openaiResponses } from './built-in-dialects.ts';
import { cohere } from './cohere-chat/provider.ts';
import type { Dialect, DialectSpec } from './dialect.ts';
import { googleInteractionsHome } from './google-interactions/provider.ts';

export { anthropicMessages, blocks, googleGenerateContent, openaiChat, openaiResponses };

const BUILT_IN: readonly Dialect[] = [openaiChat, openaiResponses, anthropicMessages, googleGenerateContent, blocks];

/**
 * The dialect with that id, built in or added by `defineDialect`.
 *
 * @example
 * const { message } = dialect(origin.dialect).readResponse(text);
 */
export function dialect(id: string): Dialect {
  const found = added.get(id) ?? BUILT_IN.find((candidate) => candidate.id === id);
  if (found) return found;
  const known = [...BUILT_IN.map((candidate) => candidate.id), ...added.keys()];
  throw new UnknownDialectError(id, known);
}

/**
 * All dialects, the built-in ones first.
 *
 * @example
 * const ids = dialects().map(({ id }) => id);
 */
export function dialects(): readonly Dialect[] {
  const all = [...BUILT_IN, ...added.values()];
  if (all.length !== listed.length || all.some((one, at) => one !== listed[at])) listed = all;
  return listed;
}

/** The same list until one is added or replaced: whoever keeps what follows from it compares the list. */
let listed: readonly Dialect[] = [];

/**
 * Adds a protocol. Its id must not be that of a built-in dialect; defining the same id again replaces the dialect.
 *
 * @example
 * const mine = defineDialect({ ...spec, id: 'my-protocol' });
 * const { body } = writeRequest(mine, { model: 'my-model', messages: [user('Hello')] });
 */
export function defineDialect(spec: DialectSpec): Dialect {
  if (BUILT_IN.some((candidate) => candidate.id === spec.id))
    throw new TypeError(`The dialect "${spec.id}" is built in; choose another id`);
  return addDialect(spec);
}

/** Thrown for a dialect id that is neither built in nor defined. */
export class UnknownDialectError extends SkeinError {
  override readonly name = 'UnknownDialectError';
  readonly code = 'unknown_dialect';

  constructor(id: string, known: readonly string[]) {
    super(`Unknown dialect "${id}". Known: ${known.join(', ')}`);
  }
}

/** The dialects that the main entry leaves out, by id. A function, so that bundles without `loadDialect` leave it out. */
const loaders = (): readonly (readonly [id: string, load: () => Promise<unknown>])[] => [
  [bedrock.dialect, () => import('./bedrock-converse/index.ts')],
  [cohere.dialect, () => import('./cohere-chat/index.ts')],
  [googleInteractionsHome.dialect, () => import('./google-interactions/index.ts')],
];

/**
 * The dialect with that id. One that the main entry leaves out is loaded first; from then on `dialect` finds it, too.
 *
 * @example
 * const { message } = (await loadDialect(origin.dialect)).readResponse(text);
 */
export async function loadDialect(id: string): Promise<Dialect> {
  await loaders().find(([known]) => known === id)?.[1]();
  return dialect(id);
}

/** Loads the dialects that a saved text names, so that it can be read. */
export async function loadDialectsIn(saved: unknown): Promise<void> {
  const text = ArrayBuffer.isView(saved) ? new TextDecoder().decode(saved as Uint8Array) : saved;
  if (typeof text !== 'string') return;
  for (const [id, load] of loaders()) if (text.includes(`"${id}"`)) await load();
}
