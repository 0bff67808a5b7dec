import type { Facts, Message, MessageView, Origin } from '../message/index.ts';
import type { ProviderDescriptor } from './provider.ts';
import type { Reply, Stop, Usage } from './reply.ts';
import type { RequestParams, RequestParts, ToolDefinition, WriteRequest, WrittenRequest } from './request.ts';
import type { StreamEvent, StreamReader } from './stream/events.ts';
import type { RequestWriter } from './write/writer.ts';

/** A protocol: pure functions from text to text. `origin` defaults to the home provider. */
export interface Dialect {
  readonly id: string;
  readonly home: ProviderDescriptor;
  /** With stored `facts` the text is trusted and parsed only when its view is asked for. */
  parseMessage(raw: string, origin?: Partial<Origin>, facts?: Facts): Message;
  readResponse(body: string, origin?: Partial<Origin>): Reply;
  readStream(origin?: Partial<Origin>): StreamReader;
  readRequest(body: string, origin?: Partial<Origin>): RequestParts;
  writeRequest(request: WriteRequest): WrittenRequest;
  /** What `maxTokens` is when nobody says, where the API insists on a number. */
  readonly defaultMaxTokens?: RequestWriter['defaultMaxTokens'] | undefined;
}

/** What a protocol brings; `makeDialect` does the rest. Raw texts go in and out, never views. */
export interface DialectSpec {
  readonly id: string;
  readonly home: ProviderDescriptor;
  /** Never throws on what it does not know. */
  view(raw: string, origin: Origin): MessageView;
  readReply(body: string): RawReply;
  assemble(): Assembler;
  readRequest(body: string): RawRequest;
  readonly writer: RequestWriter;
}

export interface RawReply {
  /** At least one; the first is the reply, the others are alternatives. */
  readonly choices: readonly { readonly raw: string; readonly stop: Stop }[];
  readonly usage: Usage | undefined;
  readonly envelope: string;
  /** The model as the response names it; anything but a name counts as none. */
  readonly model: unknown;
  /** The provider behind a router, as the response names it. */
  readonly upstream?: unknown;
}

/** Puts a stream together. `push` never throws; `finish` may be called at any time. */
export interface Assembler {
  push(event: string | undefined, data: string): readonly StreamEvent[];
  finish(): RawReply & { readonly cut: boolean };
}

export interface RawRequest {
  /** Anything but a name counts as none. */
  readonly model: unknown;
  /** `{"role":"system","content":<the exact value text>}` */
  readonly system: string | undefined;
  readonly messages: readonly string[];
  readonly tools: readonly ToolDefinition[];
  readonly params: RequestParams;
  readonly rest: Readonly<Record<string, string>>;
}
