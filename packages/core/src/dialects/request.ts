import { isText, type JsonObject, parseJson } from '../json/index.ts';
import type { Message } from '../message/index.ts';
import type { Loss } from './loss.ts';
import type { Manifest } from './manifest.ts';
import type { ProviderDescriptor } from './provider.ts';

/** Everything a request is made of. */
export interface WriteRequest {
  readonly model: string;
  /** Sent before everything else. Leading system messages in `messages` follow it. */
  readonly system?: string | Message | readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly messages: Iterable<Message>;
  readonly params?: RequestParams;
  /** Merged into the body unchanged, objects member by member; a JSON text keeps its exact spelling. */
  readonly extra?: JsonObject | string;
  /** Default: the dialect's home provider. */
  readonly provider?: ProviderDescriptor;
  readonly account?: string;
  /** Throw a `LossError` instead of dropping anything. */
  readonly strict?: boolean;
  /** Where to place cache markers, at most four. */
  readonly cache?: readonly CachePoint[];
  /** Ids of calls without a result that waited for an approval, so that what is sent in its place says so. */
  readonly unapproved?: readonly string[];
  /** The manifest of the request before this one on the same branch: what it sent is sent again as it was. */
  readonly previous?: Manifest;
}

/** After the tools, after the system text, or after the message of that index (negative counts from the end). */
export type CachePoint = 'tools' | 'system' | number;

export interface WrittenRequest {
  readonly body: string;
  /** The body in UTF-8, ready to be sent; what the request before it sent is copied, not encoded again. */
  readonly bytes: () => Uint8Array<ArrayBuffer>;
  readonly manifest: Manifest;
  readonly losses: readonly Loss[];
}

export type ToolDefinition = FunctionTool | NativeTool;

export interface FunctionTool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments, as a value or as exact JSON text. */
  readonly parameters: JsonObject | string;
}

/** A tool in one dialect's own words, such as a server-side search; other dialects leave it out and say so. */
export interface NativeTool {
  readonly dialect: string;
  readonly native: string;
}

/** Parameters that every dialect has a word for. Everything else goes through `extra`. */
export interface RequestParams {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly stream?: boolean;
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly parallelToolCalls?: boolean;
  /** What the answer may be made of, such as `['text', 'image']`; default: what the model does by itself. */
  readonly modalities?: readonly ('text' | 'image' | 'audio')[];
  /** How much the model may think: a level by name, or a budget in tokens. */
  readonly reasoning?: { readonly effort?: string; readonly budget?: number };
}

/** What a request body says, for recorders. */
export interface RequestParts {
  readonly model: string | undefined;
  /** The top-level system text as a message. */
  readonly system: Message | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  readonly params: RequestParams;
  /** Every other top-level member: name and exact text. */
  readonly rest: Readonly<Record<string, string>>;
}

const PARAMS = 'maxTokens temperature topP stop seed stream toolChoice parallelToolCalls reasoning modalities';

/** Input that could only become a body that no API takes: what is wrong, where, and what to do. */
export function checkRequest(request: WriteRequest, messages: readonly Message[]): void {
  if (!isText(request.model)) throw new TypeError('"model" must be the name of a model');
  // System messages alone are a question to some (`Chat`); a system text is no more than a setting.
  const hasSystem = typeof request.system === 'object' && [request.system].flat().length > 0;
  if (messages.length === 0 && !hasSystem)
    throw new TypeError('"messages" is empty; give at least one message, such as user(...)');
  messages.forEach((message, index) => {
    if (typeof message?.raw !== 'string' || message.facts === undefined)
      throw new TypeError(`messages[${index}] is not a message; use user(...), assistant(...) or MessageList.fromJSON`);
  });
  checkNames('parameter', request.params, PARAMS);
  for (const [name, value] of Object.entries(request.params ?? {}))
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`params.${name} is ${value}`);
  request.tools?.forEach((tool, index) => {
    const text = 'native' in tool ? tool.native : tool.parameters;
    if (typeof text === 'object' && text !== null) return;
    try {
      parseJson(text);
    } catch (cause) {
      const name = 'name' in tool ? ` (${tool.name})` : '';
      throw new TypeError(`tools[${index}]${name}: its JSON text cannot be read: ${(cause as Error).message}`, {
        cause,
      });
    }
  });
}

/** JavaScript lets any name through, and what is misspelt would be ignored in silence. `known` are names with spaces between. */
export function checkNames(what: string, given: object | undefined, known: string): void {
  for (const [name, value] of Object.entries(given ?? {}))
    if (value !== undefined && !known.split(' ').includes(name))
      throw new TypeError(`There is no ${what} "${name}"; there are: ${known}`);
}
