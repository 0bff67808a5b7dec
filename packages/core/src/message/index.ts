export type {
  Citation,
  ContentBlock,
  MediaBlock,
  MediaSource,
  ReasoningBlock,
  RefusalBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UnknownBlock,
} from './blocks.ts';
export { blockText, contentText } from './blocks-text.ts';
export { BlocksMessageError, citationOf, viewOfBlocks } from './blocks-view.ts';
export { checkMessages, isIterable } from './check-messages.ts';
export { assistant, blocksMessage, type Content, system, toolResult, user } from './factories.ts';
export {
  isLegacyMessage,
  type LegacyMessage,
  LegacyMessageError,
  type LegacyToolCall,
  legacyToContentBlocks,
  normalizeMessage,
} from './legacy.ts';
export {
  type CallRef,
  callRef,
  createMessage,
  type Facts,
  type Message,
  type MessageView,
  type Need,
  type Role,
  type ViewOf,
} from './message.ts';
export { BLOCKS_ORIGIN, type Origin } from './origin.ts';
