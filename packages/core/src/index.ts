/**
 * Skein's core: messages kept as the exact text a provider sent, shown as ordered blocks, and carried between
 * protocols with every loss named. Runs in Node, browsers and workers; file access is in `@skein/core/node`.
 */
export * from './conversation/index.ts';
export * from './dialects/index.ts';
export { isSkeinError, type ProviderErrorCode, SkeinError, type SkeinErrorCode } from './error.ts';
export {
  canonical,
  digest,
  type Edit,
  elementTexts,
  find,
  findMembers,
  isJson,
  isObject,
  type JsonObject,
  JsonTextError,
  MAX_DEPTH,
  MAX_LENGTH,
  type Path,
  parseJson,
  type Range,
  splice,
  textAt,
} from './json/index.ts';
export {
  assistant,
  BlocksMessageError,
  type CallRef,
  type Citation,
  type Content,
  type ContentBlock,
  type Facts,
  isLegacyMessage,
  type LegacyMessage,
  LegacyMessageError,
  type LegacyToolCall,
  legacyToContentBlocks,
  type MediaBlock,
  type MediaSource,
  type Message,
  type MessageView,
  type Need,
  normalizeMessage,
  type Origin,
  type ReasoningBlock,
  type RefusalBlock,
  type Role,
  system,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  toolResult,
  type UnknownBlock,
  user,
} from './message/index.ts';
export * from './providers/index.ts';
export * from './run/index.ts';
