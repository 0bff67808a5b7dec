import { isText, type JsonObject, parseJson } from '../json/index.ts';
import type { Message } from '../message/index.ts';
import type { Loss } from './loss.ts';
import type { Manifest } from './manifest.ts';
import type { ProviderDescriptor } from './provider.ts';

/** Everything that a request is written from. */
export interface WriteRequest {
  readonly model: string;
  /** The system text. System messages at the front of `messages` follow it. */
  readonly system?: string | Message | readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly messages: Iterable<Message>;
  readonly params?: RequestParams;
  /** Further members of the body, merged into objects member by member. A JSON text keeps its exact spelling. */
  readonly extra?: JsonObject | string;
  /** Default: the dialect's home provider. */
  readonly provider?: ProviderDescriptor;
  readonly account?: string;
  /** Throw a `LossError` instead of dropping anything. */
  readonly strict?: boolean;
  /** Where to place cache markers; at most four. */
  readonly cache?: readonly CachePoint[];
  /** Ids of calls that have no result because their approval is missing. The result sent in its place says so. */
  readonly unapproved?: readonly string[];
  /** The manifest of the previous request on the same branch. Everything that it sent is sent again unchanged. */
  readonly previous?: Manifest;
}

/** Where to place a cache marker: after the tools, the system text, or the message at an index (negative: from the end). */
export type CachePoint = 'tools' | 'system' | number;

/** A request, ready to be sent. */
export interface WrittenRequest {
  readonly body: string;
  /** Encodes the body as UTF-8. What the previous request sent is copied, not encoded again. */
  readonly bytes: () => Uint8Array<ArrayBuffer>;
  readonly manifest: Manifest;
  readonly losses: readonly Loss[];
}

export type ToolDefinition = FunctionTool | NativeTool;

/** A tool that the client runs. */
export interface FunctionTool {
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of the arguments, as a value or as exact JSON text. */
  readonly parameters: JsonObject | string;
}

/** A tool in one dialect's own JSON, such as a server-side search. Other dialects drop it and report the loss. */
export interface NativeTool {
  readonly dialect: string;
  readonly native: string;
}

/** Parameters that all protocols share. Pass any other parameter in `extra`. */
export interface RequestParams {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly stream?: boolean;
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly parallelToolCalls?: boolean;
  /** The kinds of content that the answer may have, such as `['text', 'image']`; by default, the model decides. */
  readonly modalities?: readonly ('text' | 'image' | 'audio')[];
  /** How much the model may reason: a level by name, or a budget in tokens. */
  readonly reasoning?: { readonly effort?: string; readonly budget?: number };
}

/** What a request body contains. */
export interface RequestParts {
  readonly model: string | undefined;
  /** The top-level system text as a message. */
  readonly system: Message | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  readonly params: RequestParams;
  /** Every other top-level member, by name, as exact text. */
  readonly rest: Readonly<Record<string, string>>;
}

const PARAMS = 'maxTokens temperature topP stop seed stream toolChoice parallelToolCalls reasoning modalities';

/** Throws a `TypeError` for input that no API would take. */
export function checkRequest(request: WriteRequest, messages: readonly Message[]): void {
  if (!isText(request.model)) throw new TypeError('"model" must be the name of a model');
  // System messages alone make a request (`Chat`), a system text alone does not.
  const hasSystem = typeof request.system === 'object' && [request.system].flat().length > 0;
  if (messages.length === 0 && !hasSystem)
    throw new TypeError('"messages" is empty; pass at least one message, such as user(...)');
  messages.forEach((message, index) => {
    if (typeof message?.raw !== 'string' || message.facts === undefined)
      throw new TypeError(`messages[${index}] is not a message; use user(...), assistant(...) or MessageList.fromJSON`);
  });
  checkNames('parameter', request.params, PARAMS);
  for (const [name, value] of Object.entries(request.params ?? {}))
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new TypeError(`params.${name} is ${value}; it must be a finite number`);
  request.tools?.forEach((tool, index) => {
    const text = 'native' in tool ? tool.native : tool.parameters;
    if (typeof text === 'object' && text !== null) return;
    try {
      parseJson(text);
    } catch (cause) {
      const name = 'name' in tool ? ` (${tool.name})` : '';
      throw new TypeError(`tools[${index}]${name} has invalid JSON: ${(cause as Error).message}`, {
        cause,
      });
    }
  });
}

/** Rejects unknown names, which JavaScript would silently ignore. `known` lists the valid ones, separated by spaces. */
export function checkNames(what: string, given: object | undefined, known: string): void {
  for (const [name, value] of Object.entries(given ?? {}))
    if (value !== undefined && !known.split(' ').includes(name))
      throw new TypeError(`Unknown ${what} "${name}"; use one of: ${known}`);
}
