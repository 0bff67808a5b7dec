import { SkeinError } from '../error.ts';
import { addDialect, added } from './added.ts';
import { type Dialect, type DialectSpec, makeDialect } from './dialect.ts';

// Imported behind the code that all protocols share, so that it comes first in a bundle: gzip looks back only 32 kB.

import { anthropicMessagesSpec } from './anthropic-messages/index.ts';
import { blocksSpec } from './blocks/index.ts';
import { googleGenerateContentSpec } from './google-generatecontent/index.ts';
import { openaiChatSpec } from './openai-chat/index.ts';
import { openaiResponsesSpec } from './openai-responses/index.ts';

/** OpenAI's Chat Completions API, which many other providers speak, too. */
export const openaiChat: Dialect = /* @__PURE__ */ makeDialect(openaiChatSpec);
/** OpenAI's Responses API. */
export const openaiResponses: Dialect = /* @__PURE__ */ makeDialect(openaiResponsesSpec);
/** Anthropic's Messages API. */
export const anthropicMessages: Dialect = /* @__PURE__ */ makeDialect(anthropicMessagesSpec);
/** Google's `generateContent` API of the Gemini models. */
export const googleGenerateContent: Dialect = /* @__PURE__ */ makeDialect(googleGenerateContentSpec);
/** Skein's own content-block JSON, in which `user`, `assistant` and the like write messages. */
export const blocks: Dialect = /* @__PURE__ */ makeDialect(blocksSpec);

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
  return [...BUILT_IN, ...added.values()];
}

/**
 * Adds a protocol. Its id must not be that of a built-in dialect; defining the same id again replaces the dialect.
 *
 * @example
 * const mine = defineDialect({ ...spec, id: 'my-protocol' });
 * const { body } = mine.writeRequest({ model: 'my-model', messages: [user('Hello')] });
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
