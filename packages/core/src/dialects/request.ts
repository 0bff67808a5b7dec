import { findMembers, isObject, isText, type JsonObject, type Path, parseJson, textAt } from '../json/index.ts';
import type { Message } from '../message/index.ts';
import { dropped, type Loss, type LossNote } from './loss.ts';
import type { Manifest } from './manifest.ts';
import type { ProviderDescriptor } from './provider.ts';
import { targetToolName } from './write/drafts.ts';
import type { BodyMember } from './write/frame.ts';
import type { Target } from './write/writer.ts';

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
  /** The last message is a reply that paused, and the API goes on with it: nothing is put behind it. */
  readonly continuesReply?: boolean;
  /** The manifest of the previous request on the same branch. Everything that it sent is sent again unchanged. */
  readonly previous?: Manifest;
}

/** Where to place a cache marker: after the tools, the system text, or the message at an index (negative: from the end). */
export type CachePoint = 'tools' | 'system' | number;

/** A request, ready to be sent. */
export interface WrittenRequest {
  readonly body: string;
  /** Encodes the body as UTF-8. */
  readonly bytes: () => Uint8Array<ArrayBuffer>;
  /**
   * Lends the body as UTF-8 until the promise settles. What the previous request sent is not even copied: the next
   * request is encoded behind it, in the same memory.
   */
  readonly withBytes: <T>(use: (bytes: Uint8Array<ArrayBuffer>) => Promise<T>) => Promise<T>;
  readonly manifest: Manifest;
  readonly losses: readonly Loss[];
}

/** A tool that a request offers: a function of the client, or a tool in the provider's own form. */
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

/** The names that a protocol has for parameters that are one plain value. */
export type ParamNames = Partial<Record<SimpleParam, string>>;
type SimpleParam = 'maxTokens' | 'temperature' | 'topP' | 'stop' | 'seed' | 'stream' | 'parallelToolCalls';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const PARAM_NAMES: Readonly<Record<SimpleParam, (value: unknown) => boolean>> = {
  maxTokens: isNumber,
  temperature: isNumber,
  topP: isNumber,
  stop: (value) => Array.isArray(value) && value.every((word) => typeof word === 'string'),
  // A seed that a double cannot hold stays in `rest`, where its text is exact.
  seed: Number.isSafeInteger,
  stream: isBoolean,
  parallelToolCalls: isBoolean,
};

/** Reads the plain parameters of a body; `taken` are the names of the members that they were read from. */
export function readSimpleParams(
  body: JsonObject,
  names: ParamNames,
): { params: Writable<RequestParams>; taken: string[] } {
  const params: Record<string, unknown> = {};
  const taken: string[] = [];
  for (const [param, name] of Object.entries(names)) {
    if (!PARAM_NAMES[param as SimpleParam](body[name]) || param in params) continue;
    params[param] = body[name];
    taken.push(name);
  }
  return { params, taken };
}

/** The members for the plain parameters. Those that the protocol has no name for are dropped, with a note. */
export function writeSimpleParams(params: RequestParams, names: ParamNames, losses: LossNote[]): BodyMember[] {
  return (Object.keys(PARAM_NAMES) as SimpleParam[]).flatMap((param): BodyMember[] => {
    const name = names[param];
    if (name !== undefined) return [[name, JSON.stringify(params[param])]];
    if (params[param] !== undefined) losses.push(dropped(`params.${param}`, 'parameter'));
    return [];
  });
}

/** The tool choice with the tool's name as the target takes it. Without tools it is dropped, with a note. */
export function toTargetChoice(
  { toolChoice }: RequestParams,
  target: Target,
  losses: LossNote[],
  hasTools = true,
): RequestParams['toolChoice'] {
  if (toolChoice && !hasTools) {
    losses.push(dropped('params.toolChoice', 'parameter', 'no tools'));
    return undefined;
  }
  if (typeof toolChoice !== 'object') return toolChoice;
  return { name: targetToolName(toolChoice.name, target.provider.policies, 'params.toolChoice', losses) };
}

/** The exact texts of all members of a body that were not taken. */
export function readRest(body: string, taken: Iterable<string>): Record<string, string> {
  const known = new Set(taken);
  const rest = findMembers(body).filter(({ name }) => !known.has(name));
  return Object.fromEntries(rest.map(({ name, start, end }) => [name, body.slice(start, end)]));
}

/**
 * Reads a tool whose members are at `path`. One that has more than name, description and parameters stays in its
 * protocol's own JSON.
 */
export function readTool(dialect: string, text: string, path: Path, parametersName: string): ToolDefinition {
  const native: ToolDefinition = { dialect, native: text };
  const inner = path.reduce<unknown>(
    (value, step) => (isObject(value) && hasOnly(value, ['type', step]) ? value[step] : undefined),
    parseJson(text),
  );
  if (!isObject(inner) || typeof inner.name !== 'string' || !isObject(inner[parametersName])) return native;
  const { name, description } = inner;
  // `strict: false` is what most providers assume if it is absent.
  const known = ['type', 'name', 'description', parametersName, ...(inner.strict === false ? ['strict'] : [])];
  const isPlain =
    hasOnly(inner, known) && (inner.type === undefined || inner.type === 'function' || inner.type === 'custom');
  if (!isPlain || (description !== undefined && typeof description !== 'string')) return native;
  const parameters = textAt(text, [...path, parametersName])!;
  return description === undefined ? { name, parameters } : { name, description, parameters };
}

function hasOnly(object: JsonObject, names: Path): boolean {
  return Object.keys(object).every((name) => names.includes(name));
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}
