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
import type {
  NativeTool,
  RequestParams,
  RequestParts,
  ToolDefinition,
  WriteRequest,
  WrittenRequest,
} from './request.ts';
import type { DialectServe } from './serve.ts';
import type { Framing } from './sse.ts';
import type { StreamEvent, StreamReader } from './stream/events.ts';
import { WriteCache } from './write/cache.ts';
import { writeRequest } from './write/write-request.ts';
import type { RequestWriter } from './write/writer.ts';

/** A protocol: pure functions from text to text. `origin` defaults to the home provider. */
export interface Dialect extends DialectFacets {
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

/** What others need to know of a protocol, so that they need not know its name. */
export interface DialectFacets {
  /** What people call it. */
  readonly title?: string | undefined;
  /** Which requests are of this protocol. Without any, nothing is recorded as such. */
  readonly endpoints?: readonly ProtocolEndpoint[] | undefined;
  /** How streamed bodies are cut into events. Without it, they are server-sent events. */
  readonly framing?: Framing | undefined;
  /** Where a request has the conversation. Without it, conversations are neither imported nor exported in this form. */
  readonly members?: RequestMembers | undefined;
  /** How an answer of a certain form is asked for. */
  readonly output?: OutputFormats | undefined;
  /** The other side of the protocol. Those of the built-in dialects are loaded apart from them: ask `serving`. */
  readonly serve?: DialectServe | undefined;
}

/** An address of a protocol. */
export interface ProtocolEndpoint {
  /** `ask`: a model is asked, whole or as a stream; `poll`: a response is asked for that was begun before. */
  readonly operation: 'ask' | 'poll';
  readonly method: string;
  /** Matches the end of the path; its groups `model` and `response` are the names of those. */
  readonly path: RegExp;
}

/** The names of a request's members. */
export interface RequestMembers {
  readonly messages: string;
  /** Those that may hold the system text beside the messages. */
  readonly system: readonly string[];
}

/** How a protocol is asked for an answer of a certain form; absent where it has no way. */
export interface OutputFormats {
  readonly schema?: SchemaFormat;
  readonly image?: ImageFormat;
}

export interface SchemaFormat {
  /** The members of the body that ask for an answer by this schema. */
  readonly body: (schema: JsonObject, isStrict: boolean) => JsonObject;
  /** Whether objects that name their properties are told to have no others. */
  readonly closes: boolean;
  /** Whether it takes no other objects than such. */
  readonly onlyClosed: boolean;
  /** Keywords that it refuses; the reply is checked by them all the same. */
  readonly without: readonly string[];
}

export interface ImageFormat {
  readonly body?: JsonObject;
  readonly tools?: readonly NativeTool[];
}

/** What a protocol brings; `makeDialect` does the rest. Raw texts go in and out, never views. */
export interface DialectSpec extends DialectFacets {
  readonly id: string;
  readonly home: ProviderDescriptor;
  /** Never throws on what it does not know. */
  view(raw: string, origin: Origin): MessageView;
  readReply(body: string): RawReply;
  /** `origin` is that of the reply. */
  assemble(origin: Origin): Assembler;
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

/** A dialect from what its protocol brings. */
export function makeDialect(spec: DialectSpec): Dialect {
  const home: Origin = {
    dialect: spec.id,
    issuer: spec.home.issuer,
    ...(spec.home.apiVersion && { apiVersion: spec.home.apiVersion }),
  };
  const cache = new WriteCache();
  const origins = new WeakMap<object, Origin>();
  // Messages of one list share their origins.
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

  return Object.freeze({
    id: spec.id,
    home: spec.home,
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
      const assembler = spec.assemble(completeOrigin(origin));
      return {
        push: (event: string | undefined, data: string) => assembler.push(event, data),
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
    writeRequest: (request) => writeRequest(spec, request, cache),
    defaultMaxTokens: spec.writer.defaultMaxTokens,
    title: spec.title,
    endpoints: spec.endpoints,
    framing: spec.framing,
    members: spec.members,
    output: spec.output,
    serve: spec.serve,
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

/** Text that cannot be this protocol is an error with the text attached, whatever step found it. */
function readProtocol<T>(dialect: string, text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(dialect, error instanceof Error ? error.message : String(error), text, error);
  }
}

/** What was not given is not given: an explicit `undefined` says no more than a missing member. */
function withoutUndefined(given: Partial<Origin>): Partial<Origin> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
