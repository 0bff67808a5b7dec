// Messages: the exact text of a provider, its origin, and the view of it as content blocks.
export {
  BlocksMessageError,
  blockText,
  type Citation,
  type ContentBlock,
  contentText,
  type MediaBlock,
  type MediaSource,
  type ReasoningBlock,
  type RefusalBlock,
  readCitation,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  type UnknownBlock,
  viewBlocks,
} from './blocks.ts';
export { assistant, blocksMessage, type Content, system, toolResult, user } from './factories.ts';
export {
  isLegacyMessage,
  type LegacyMessage,
  LegacyMessageError,
  legacyToContentBlocks,
  normalizeMessage,
} from './legacy.ts';
export {
  BLOCKS_ORIGIN,
  type CallRef,
  callRef,
  checkMessages,
  createMessage,
  type Facts,
  isIterable,
  type Message,
  type MessageView,
  type Need,
  type Origin,
  type Role,
  type ViewReader,
} from './message.ts';
