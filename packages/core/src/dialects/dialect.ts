import { findLoneSurrogates, isText, type JsonObject } from '../json/index.ts';
import {
  createMessage,
  type Facts,
  type Message,
  type MessageView,
  type Origin,
  type ViewReader,
} from '../message/index.ts';
import type { ProviderDescriptor } from './provider.ts';
import { ProtocolError, type Reply, type Stop, type Usage } from './reply.ts';
import type { NativeTool, RequestParams, RequestParts, ToolDefinition } from './request.ts';
import type { DialectServer } from './serve.ts';
import type { DeltaPattern, Framing, StreamEvent, StreamReader } from './stream.ts';
import type { RequestWriter } from './write/writer.ts';

/** A protocol, as pure functions from text to text. `origin` defaults to the home provider. */
export interface Dialect extends DialectFacets {
  readonly id: string;
  readonly home: ProviderDescriptor;
  /** With stored `facts`, the text is trusted, and parsed only when its view is needed. */
  parseMessage(raw: string, origin?: Partial<Origin>, facts?: Facts): Message;
  readResponse(body: string, origin?: Partial<Origin>): Reply;
  readStream(origin?: Partial<Origin>): StreamReader;
  readRequest(body: string, origin?: Partial<Origin>): RequestParts;
  /** What differs between protocols in writing a request; the function `writeRequest` has what they share. */
  readonly writer: RequestWriter;
}

/** What other parts of Skein use of a protocol, without knowing which one it is. */
export interface DialectFacets {
  /** The name of the protocol, for people. */
  readonly title?: string | undefined;
  /** The addresses of this protocol. Without any, its traffic is not recognised and not recorded as a conversation. */
  readonly endpoints?: readonly ProtocolEndpoint[] | undefined;
  /** How streamed bodies are cut into events. Without it, they are server-sent events. */
  readonly framing?: Framing | undefined;
  /** Where a request holds the conversation. Without it, conversations cannot be imported or exported in this protocol. */
  readonly members?: RequestMembers | undefined;
  /** How structured output and images are requested. */
  readonly output?: OutputFormats | undefined;
  /** The headers that a request needs because of what it contains. Loaded on first use. Absent if it needs none. */
  readonly requestHeaders?: (() => Promise<RequestHeaders>) | undefined;
  /** How to ask why a cache was missed. Loaded on first use. Absent if the API does not tell. */
  readonly cacheDiagnosis?: (() => Promise<CacheDiagnosis>) | undefined;
  /** The members of a request over HTTP that only prepares the API and generates nothing. Absent if there is no such request. */
  readonly warmUp?: JsonObject | undefined;
  /** The members that continue a reply that paused, in place of the reply itself, by the envelope of the reply. */
  readonly continuation?: ((envelope: string) => JsonObject | undefined) | undefined;
  /** How to let the API keep the conversation. Loaded on first use. Absent if it keeps none. */
  readonly serverState?: (() => Promise<ServerState>) | undefined;
  /** How the protocol is spoken over a WebSocket. Loaded on first use. Absent if it is not. */
  readonly socket?: (() => Promise<SocketProtocol>) | undefined;
  /** The server's side of the protocol. That of a built-in dialect is loaded separately: call `serving`. */
  readonly serve?: DialectServer | undefined;
}

/** Finds headers by the messages of a request and by the end of its body, behind the messages. Lists are separated by commas. */
export type RequestHeaders = (messages: readonly Message[], tail: string) => Readonly<Record<string, string>>;

/** How a client asks an API why it could not use its cache. */
export interface CacheDiagnosis {
  /** The members that ask, with the id of the response to compare with. */
  readonly members: (previous: string | undefined) => JsonObject;
  /** Why the cache was missed, in the API's words, by the envelope of a reply; undefined if it was not. */
  readonly readMiss: (envelope: string) => string | undefined;
}

/** How a client lets an API keep a conversation, and sends only what is new. */
export interface ServerState {
  /**
   * The members that make the API keep the conversation and, with the id of a response, continue it behind that
   * response. They replace members of the same names. `isBrief`: a connection keeps the last response in its memory, and
   * nothing is stored.
   */
  readonly members: (previous: string | undefined, isBrief: boolean) => JsonObject;
  /** The members that a request leaves out when it continues, because the API keeps them. */
  readonly keeps: readonly string[];
  /** Whether a request that only continues a paused reply has no list of messages, and not an empty one. */
  readonly continuesWithoutList?: boolean;
  /** Headers to add. A list that the caller gave is extended. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * What to do when the API refuses a request: send the whole history and let it be kept again, or send it and let
   * nothing be kept. Undefined if the error has another reason.
   */
  readonly recovery: (status: number | undefined, error: JsonObject) => 'again' | 'stateless' | undefined;
}

/**
 * A protocol over a WebSocket: one connection carries many requests and responses, in lanes. Each message is one JSON
 * text. In a lane, one response comes after the other.
 */
export interface SocketProtocol {
  /** The message that makes a request in a lane, from the body of the same request over HTTP. The first lane has no name. */
  readonly toMessage: (body: string, options?: { readonly lane?: string; readonly isWarmUp?: boolean }) => string;
  /** How input is added to a response while it comes. Absent if that is not possible. */
  readonly steering?: SocketSteering;
  /** The lane of a client's message that makes a request; undefined for other messages. */
  readonly readRequest: (message: JsonObject) => { readonly lane: string } | undefined;
  /** The lane of a server's message, and whether it ends the response there. */
  readonly readEvent: (message: JsonObject) => { readonly lane: string; readonly ends: boolean };
  /** The members of a request that it has over a WebSocket only. */
  readonly members: readonly string[];
  /** The status and the error that a server's message reports in place of a response; undefined for any other. */
  readonly readFailure: (message: JsonObject) => { readonly status: number; readonly error: JsonObject } | undefined;
  /** The codes of failures after which another connection helps. */
  readonly expired: readonly string[];
}

/** How input is added to a response while it comes. */
interface SocketSteering {
  /** The message that adds input, elements of the message list as JSON texts, to a response. */
  readonly toMessage: (response: string, items: string) => string;
  /** The id of the response that a server's message belongs to, if it says so. */
  readonly readId: (message: JsonObject) => string | undefined;
  /**
   * What a server's message says of added input: it has it, it puts it before the next request, or it cannot take it.
   * Undefined for any other message.
   */
  readonly readOutcome: (message: JsonObject) => 'accepted' | 'pending' | 'failed' | undefined;
}

/** An operation of a protocol, recognised by method and path. */
export interface ProtocolEndpoint {
  /** `ask`: generates a reply, whole or as a stream; `poll`: fetches a response that was requested before. */
  readonly operation: 'ask' | 'poll';
  readonly method: string;
  /** Matches the end of the path. Its groups `model` and `response` capture the model's name and the response's id. */
  readonly path: RegExp;
}

/** The names of the members of a request that hold the conversation. */
export interface RequestMembers {
  readonly messages: string;
  /** The members that may hold the system text beside the messages. */
  readonly system: readonly string[];
  /** The member that holds the tools. Default: `tools`. */
  readonly tools?: string;
}

/** How structured output and images are requested; absent if the protocol has no way. */
export interface OutputFormats {
  readonly schema?: SchemaFormat;
  readonly image?: ImageFormat;
}

/** How a protocol takes a JSON Schema for the answer. */
export interface SchemaFormat {
  /** The members of the body that request an answer by this schema. */
  readonly body: (schema: JsonObject, isStrict: boolean) => JsonObject;
  /** Whether to add `additionalProperties: false` to objects that name their properties. */
  readonly closes: boolean;
  /** Whether the protocol takes only objects without additional properties. */
  readonly onlyClosed: boolean;
  /** Keywords that the protocol refuses. They are removed from the request, but the reply is still checked against them. */
  readonly without: readonly string[];
}

/** What a request for images adds to the body or to the tools. */
export interface ImageFormat {
  readonly body?: JsonObject;
  readonly tools?: readonly NativeTool[];
}

/** What a protocol must provide; `defineDialect` makes a dialect of it. It works on raw texts, never on views. */
export interface DialectSpec extends DialectFacets {
  readonly id: string;
  readonly home: ProviderDescriptor;
  /** Reads a message. Content that it does not know becomes unknown blocks, not errors. */
  view(raw: string, origin: Origin): MessageView;
  readReply(body: string): RawReply;
  assemble(): Assembler;
  readRequest(body: string): RawRequest;
  readonly writer: RequestWriter;
}

/** A reply in raw texts. */
export interface RawReply {
  /** At least one: the first is the reply, the others are alternatives. */
  readonly choices: readonly { readonly raw: string; readonly stop: Stop }[];
  readonly usage: Usage | undefined;
  readonly envelope: string;
  /** The model as the response names it; anything but a non-empty string counts as absent. */
  readonly model: unknown;
  /** The provider behind a router, as the response names it. */
  readonly upstream?: unknown;
}

/** Assembles a streamed reply. `push` never throws; `finish` may be called at any time. */
export interface Assembler {
  push(event: string | undefined, data: string): readonly StreamEvent[];
  /** What the next event is if it only goes on with the last one; undefined where that cannot be said. */
  usual?(): DeltaPattern | undefined;
  finish(): RawReply & { readonly cut: boolean };
}

/** A request in raw texts. */
export interface RawRequest {
  /** Anything but a non-empty string counts as absent. */
  readonly model: unknown;
  /** `{"role":"system","content":<the exact value text>}` */
  readonly system: string | undefined;
  readonly messages: readonly string[];
  readonly tools: readonly ToolDefinition[];
  readonly params: RequestParams;
  readonly rest: Readonly<Record<string, string>>;
}

/** Makes a dialect from what its protocol provides. */
export function makeDialect(spec: DialectSpec): Dialect {
  const home: Origin = Object.freeze({
    dialect: spec.id,
    issuer: spec.home.issuer,
    ...(spec.home.apiVersion && { apiVersion: spec.home.apiVersion }),
  });
  const origins = new WeakMap<object, Origin>();
  // The messages of one list usually share one frozen origin.
  const completeOrigin = (given: Partial<Origin> = home): Origin => {
    const known = origins.get(given);
    if (known) return known;
    const origin = Object.freeze({ ...home, ...withoutUndefined(given), dialect: spec.id });
    if (Object.isFrozen(given)) origins.set(given, origin);
    return origin;
  };
  const readView: ViewReader = (raw, origin) => {
    const view = spec.view(raw, origin);
    return findLoneSurrogates(raw).length > 0 ? { ...view, needs: [...view.needs, 'surrogate'] } : view;
  };
  const makeMessage = (raw: string, origin: Origin, facts?: Facts): Message =>
    createMessage(raw, origin, readView, facts);

  const { view: _, readReply: __, assemble: ___, readRequest: ____, ...facets } = spec;
  return Object.freeze({
    ...facets,
    parseMessage(raw: string, origin?: Partial<Origin>, facts?: Facts) {
      const message = makeMessage(raw, completeOrigin(origin), facts);
      if (!facts) readProtocol(spec.id, raw, () => message.content);
      return message;
    },
    readResponse(body: string, origin?: Partial<Origin>) {
      return makeReply(
        readProtocol(spec.id, body, () => spec.readReply(body)),
        completeOrigin(origin),
        makeMessage,
      );
    },
    readStream(origin?: Partial<Origin>) {
      const assembler = spec.assemble();
      return {
        push: (event: string | undefined, data: string) => assembler.push(event, data),
        usual: () => assembler.usual?.(),
        finish: () => {
          const raw = assembler.finish();
          return makeReply(
            raw,
            raw.cut ? { ...completeOrigin(origin), cut: true } : completeOrigin(origin),
            makeMessage,
          );
        },
      };
    },
    readRequest(body: string, origin?: Partial<Origin>) {
      const { model, system, messages, ...rest } = readProtocol(spec.id, body, () => spec.readRequest(body));
      const from = completeOrigin(origin);
      return {
        ...rest,
        model: isText(model) ? model : undefined,
        system: system === undefined ? undefined : makeMessage(system, from),
        messages: messages.map((raw) => makeMessage(raw, from)),
      };
    },
  } satisfies Dialect);
}

function makeReply(raw: RawReply, origin: Origin, makeMessage: (raw: string, origin: Origin) => Message): Reply {
  const { model, upstream } = raw;
  const from: Origin = Object.freeze({
    ...origin,
    ...(isText(model) && { model }),
    ...(isText(model) && origin.model !== undefined && origin.model !== model && { requestedModel: origin.model }),
    ...(isText(upstream) && { upstream }),
  });
  const [first, ...others] = raw.choices.map((choice) => ({
    message: makeMessage(choice.raw, from),
    stop: choice.stop,
  }));
  return { message: first!.message, stop: first!.stop, alternatives: others, usage: raw.usage, envelope: raw.envelope };
}

/** Turns any error while reading into a `ProtocolError` that carries the text. */
function readProtocol<T>(dialect: string, text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(dialect, error instanceof Error ? error.message : String(error), text, error);
  }
}

/** Removes members that are explicitly `undefined`, which mean the same as absent ones. */
function withoutUndefined(given: Partial<Origin>): Partial<Origin> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
