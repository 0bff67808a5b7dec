import type { JsonObject, Path } from '../json/index.ts';
import type { Message } from '../message/index.ts';
import { serve as anthropicMessages } from './anthropic-messages/serve.ts';
import { serve as bedrockConverse } from './bedrock-converse/serve.ts';
import type { BlockEvent } from './block-events.ts';
import { serve as blocks } from './blocks/serve.ts';
import { serve as cohereChat } from './cohere-chat/serve.ts';
import type { Dialect } from './dialect.ts';
import { serve as googleGenerateContent } from './google-generatecontent/serve.ts';
import { serve as googleInteractions } from './google-interactions/serve.ts';
import type { LossNote } from './loss.ts';
import { serve as openaiChat } from './openai-chat/serve.ts';
import { serve as openaiResponses } from './openai-responses/serve.ts';
import type { Alternative, Stop, Usage } from './reply.ts';
import type { RequestMeaning, ServedTool } from './request-meaning.ts';
import type { ServedAnswers } from './served-answers.ts';

/**
 * The other side of a protocol: what whoever records, replays or serves it needs. Those who only ask models do not load it.
 */
export interface DialectServer {
  readonly id: string;
  /** The id that a response names itself by, in a whole answer or in an event of a stream. */
  responseId(answer: JsonObject): unknown;
  /** What a request goes on from, where the API keeps histories. Absent where it keeps none. */
  readonly kept?: KeptHistories;
  /** An error as the API writes it: SDKs show its text, and act on its kind. */
  errorBody(error: ServedError): JsonObject;
  /** Writes a message of any dialect as a whole response. A message of this dialect goes out in its exact text. */
  writeReply?(reply: ReplySource): WrittenReply;
  /** Writes a reply as a stream while its events arrive. */
  writeStream?(options: WriteStreamOptions): ReplyWriter;
  /** How the gateway serves this protocol to its clients. Absent where it serves none. */
  readonly api?: ServedApi;
  /** What its requests say beside the conversation. Absent where none of it can be carried to or from other protocols. */
  readonly meaning?: RequestMeaning;
}

/** A vendor's API as its clients know it: what the gateway answers at `/gateway/{vendor}`. */
export interface ServedApi extends ServedAnswers {
  readonly vendor: string;
  readonly operations: readonly ServedOperation[];
  /** The id of a response in the form that the vendor gives, made of a text of letters, digits and underscores. */
  makeId(text: string): string;
  /** Where responses and their events name the model. */
  readonly modelPaths: readonly Path[];
  /** Recognises the event, by its data, that tells a client that the reply is complete. */
  readonly closing: RegExp;
  /** Whether streams are JSON arrays unless the query has `alt=sse`. */
  readonly streamsLists?: boolean;
}

/**
 * What a client can ask of a served API: a reply, the list of models, one model, a token count, a kept response or the input of
 * one, a conversation to keep responses in.
 */
export type ServedOperationKind = 'ask' | 'models' | 'model' | 'count' | 'compact' | KeptOperationKind;

/** What a client can ask of the responses that a served API keeps. */
type KeptOperationKind = 'get' | 'delete' | 'cancel' | 'input-items' | 'create-conversation';

/** One operation of a served API, recognised by method and path. */
export interface ServedOperation {
  readonly operation: ServedOperationKind;
  readonly method: string;
  /** Matches the whole path behind the vendor's name. Its groups `model` and `response` capture the names in the path. */
  readonly path: RegExp;
  /** Set where the path says whether the answer is a stream; elsewhere, the member `stream` of the body does. */
  readonly isStream?: boolean;
}

/** Responses that an API keeps, so that later requests and polls name them. */
export interface KeptHistories {
  /** The members of a request that name what it goes on from. Without them it stands alone. */
  readonly anchors: readonly string[];
  /** What the API keeps beside the messages, so that later requests leave it out. By default, nothing. */
  readonly keeps?: readonly ('system' | 'tools')[];
  /** From the members of a request that are no parameters: what it goes on from. */
  previous(rest: Readonly<Record<string, unknown>>): PreviousTurn;
  /** The id of what a message of a request stands for, where it is sent by its id alone. */
  refersTo(message: JsonObject): unknown;
  /** Whether the answer says that its reply comes later. */
  isPending(envelope: JsonObject): boolean;
  /** What a gateway says that keeps histories in place of the API. Absent where it cannot. */
  readonly held?: ServedHistories;
  /** Requests that the API makes itself, of input that a client added to a response. Absent where it makes none. */
  readonly steering?: SteeredRequests;
}

/** A response that a client steers is followed by another one that the client did not ask for. */
interface SteeredRequests {
  /** The id of the response to which a client's message adds input; undefined for any other message. */
  response(message: JsonObject): unknown;
  /** The request that follows a response: that of the response, with the input of the messages in place of its own. */
  toRequest(request: string, response: string, messages: readonly string[]): string;
}

/** How a gateway keeps histories for clients of an API that does. */
export interface ServedHistories {
  /** The refusal of a request that goes on from something unknown. */
  missing(what: 'response' | 'conversation' | 'item', id: string): KeptRefusal;
  /** Why a request cannot be kept, or does not fit the one that it goes on from; undefined where it can. */
  refuse?(request: JsonObject, previous: JsonObject | undefined): KeptRefusal | undefined;
  /** The answer to a client that deletes a kept response. */
  deleted?(id: string): JsonObject;
  /** The refusal of a client that cancels a response. A gateway has given a response only when it is complete. */
  cancelled?(id: string): KeptRefusal;
  /** The input of the request that a kept response answers, as a page of a list. */
  inputItems?(request: JsonObject, id: string, query: URLSearchParams): JsonObject;
  /** The answer to a client that creates an empty conversation, or why it cannot; `text` makes its id. */
  createConversation?(
    request: JsonObject,
    head: { readonly text: string; readonly created: number },
  ): { readonly id: string; readonly body: JsonObject } | { readonly refusal: KeptRefusal };
}

/** Why a kept history cannot be used, in the words of the API. */
export interface KeptRefusal {
  readonly status: number;
  readonly word: string;
  readonly message: string;
  readonly param?: string;
}

/** What a request goes on from, as its members name it; anything but a non-empty text names nothing. */
export interface PreviousTurn {
  /** The response whose history the API adds to the request. */
  readonly response?: unknown;
  /** The conversation whose history the API adds to the request. */
  readonly conversation?: unknown;
  /** The last response of this conversation, where the request brings its own history. */
  readonly last?: unknown;
}

/** A failure as a server reports it to its client. */
export interface ServedError {
  readonly status: number;
  /** For programs, where the API has such words. */
  readonly code: string;
  readonly message: string;
  /** The member of the request that is wrong, where the API names it. */
  readonly param?: string | undefined;
  /** How long the client should wait, where the API says so in its body. */
  readonly retryAfterMs?: number | undefined;
}

/** What a response says of itself. */
export interface ReplyHead {
  /** The id of the response, in the form that the API gives (`msg_…`, `resp_…`). */
  readonly id: string;
  /** The model as the client named it. */
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** The client's request: some APIs repeat its settings, or are told there what to send. */
  readonly request?: JsonObject | undefined;
  /**
   * Stands in the place of a signature or a ciphertext, by the number of the block: the client sends it back, and whoever
   * gave it finds the original reasoning by it. It must be base64.
   */
  readonly reference?: ((block: number) => string | undefined) | undefined;
  /** The client's tools, by the names that the provider calls them by. Calls of other names are written as they are. */
  readonly tools?: ReadonlyMap<string, ServedTool> | undefined;
}

/** What a served response carries: the message and what belongs to it. */
export interface ReplyContent {
  readonly message: Message;
  readonly stop: Stop;
  readonly usage: Usage | undefined;
  readonly alternatives?: readonly Alternative[] | undefined;
}

/** Everything that a response is written from. */
export interface ReplySource extends ReplyHead, ReplyContent {}

/** A response, ready to be sent to a client. */
export interface WrittenReply {
  readonly body: string;
  /** What the response does not carry as it was. */
  readonly losses: readonly LossNote[];
}

/** How a streamed response is written. */
export interface WriteStreamOptions extends ReplyHead {
  /** The dialect that the events come from. Blocks of this dialect are written in their native form. */
  readonly dialect?: string | undefined;
  /** Write a JSON array in place of server-sent events, where the API has that form. */
  readonly asList?: boolean | undefined;
}

/** Writes one streamed reply: `push` and `finish` return the text to send. */
export interface ReplyWriter {
  push(event: BlockEvent): string;
  /** The end of the stream. What no event brought is written from the reply: without any event, all of it. */
  finish(reply: ReplyContent): string;
  /** The end of the stream where no reply can be given. */
  fail(error: ServedError): string;
  readonly losses: readonly LossNote[];
}

const BUILT_IN: readonly DialectServer[] = [
  openaiChat,
  openaiResponses,
  anthropicMessages,
  googleGenerateContent,
  googleInteractions,
  bedrockConverse,
  cohereChat,
  blocks,
];

/**
 * How to record, replay and serve a dialect. One from outside that says nothing of it is served like our own.
 *
 * @example
 * const head = { id: 'msg_1', model: 'my-model', created: Math.floor(Date.now() / 1000) };
 * const written = serving(anthropicMessages).writeReply?.({ ...head, ...reply });
 * response.end(written?.body);
 */
export function serving({ id, serve }: Pick<Dialect, 'id' | 'serve'>): DialectServer {
  return serve ?? BUILT_IN.find((one) => one.id === id) ?? blocks;
}
