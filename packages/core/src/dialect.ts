/**
 * For those who add a protocol, and for those who record or serve one: what a dialect is made of, and the side of each
 * dialect that records and serves. Neither is in the main entry.
 */

export { type BlockEvent, type BlockReader, readBlocks } from './dialects/block-events.ts';
export { addEvents, createRunRewriter, type DeltaRun, readSse } from './dialects/delta-run.ts';
export type {
  Assembler,
  ByModel,
  CallLookup,
  DeltaPattern,
  DialectFacets,
  DialectSpec,
  Draft,
  Element,
  ElementPiece,
  EventDecoder,
  Frame,
  FrameParts,
  Framing,
  ImageFormat,
  LossNote,
  LossReason,
  OutputFormats,
  PrefixElement,
  ProtocolEndpoint,
  RawReply,
  RawRequest,
  RequestWriter,
  SchemaFormat,
  ServerState,
  SocketProtocol,
  Target,
} from './dialects/index.ts';
export { forModel, prefixElements } from './dialects/index.ts';
export { bedrockConverse, cohereChat, googleInteractions } from './dialects/more.ts';
export type { ModelTarget } from './dialects/provider.ts';
export type {
  MemberMeaning,
  MemberValue,
  OutputRequest,
  ReasoningLevels,
  ReplacementTool,
  RequestMeaning,
  RequestSetting,
  ServedTool,
  ServerToolKind,
} from './dialects/request-meaning.ts';
export {
  type DialectServer,
  type KeptHistories,
  type KeptRefusal,
  type PreviousTurn,
  type ReplyContent,
  type ReplyHead,
  type ReplySource,
  type ReplyWriter,
  type ServedApi,
  type ServedError,
  type ServedHistories,
  type ServedOperation,
  type ServedOperationKind,
  serving,
  type WriteStreamOptions,
  type WrittenReply,
} from './dialects/serve.ts';
export type {
  CompactionHead,
  CompactionOperation,
  ServedAnswers,
  ServedFailure,
  ServedModel,
  TokenCountOperation,
} from './dialects/served-answers.ts';
export { targetToolName } from './dialects/write/drafts.ts';
export type { Edit, Path, Range } from './json/index.ts';
export type { CallRef, MessageView, Need } from './message/index.ts';
export { createMessage } from './message/index.ts';
export { formatOutput } from './run/output-schema.ts';
