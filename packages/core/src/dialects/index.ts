// Dialects: one folder for each protocol, `write/` for what all of them share in writing requests, `stream/` for streams.
export type {
  Assembler,
  Dialect,
  DialectFacets,
  DialectSpec,
  ImageFormat,
  OutputFormats,
  ProtocolEndpoint,
  RawReply,
  RawRequest,
  RequestMembers,
  SchemaFormat,
  ServerState,
  SocketProtocol,
} from './dialect.ts';
export { describeLoss, type Loss, LossError, type LossNote, type LossReason } from './loss.ts';
export {
  diffPrefix,
  type Element,
  type ElementPiece,
  joinManifest,
  type Manifest,
  type PrefixDifference,
  type PrefixElement,
  prefixElements,
} from './manifest.ts';
export { type ByModel, type Connection, forModel, type Policies, type ProviderDescriptor } from './provider.ts';
export {
  anthropicMessages,
  blocks,
  defineDialect,
  dialect,
  dialects,
  googleGenerateContent,
  loadDialect,
  openaiChat,
  openaiResponses,
  UnknownDialectError,
} from './registry.ts';
export { type Alternative, ProtocolError, type Reply, type Stop, type StopReason, type Usage } from './reply.ts';
export type {
  CachePoint,
  FunctionTool,
  NativeTool,
  RequestParams,
  RequestParts,
  ToolDefinition,
  WriteRequest,
  WrittenRequest,
} from './request.ts';
export { decodeSse, sse } from './sse.ts';
export type {
  DeltaPattern,
  EventDecoder,
  Framing,
  StreamDelta,
  StreamEvent,
  StreamReader,
} from './stream.ts';
export { writeRequest } from './write/write-request.ts';
export type { CallLookup, Draft, Frame, FrameParts, RequestWriter, Target } from './write/writer.ts';
