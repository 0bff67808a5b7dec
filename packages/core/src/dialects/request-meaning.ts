import { isObject, type JsonObject } from '../json/index.ts';
import type { ContentBlock } from '../message/index.ts';
import type { ModelTarget } from './provider.ts';
import type { FunctionTool, RequestParams } from './request.ts';

/**
 * What the requests of a protocol say beside the conversation, in words that all protocols share. Whoever carries a
 * request from one protocol to another reads it by the meaning of the first, and writes it by that of the second.
 */
export interface RequestMeaning {
  /** The members beside the conversation by their paths, in which dots lead into objects. Any other member is unknown. */
  readonly members: Readonly<Record<string, MemberMeaning>>;
  /** The members that hold parameters of ours, so that clients are told of them by their own names. */
  readonly params: Readonly<Partial<Record<keyof RequestParams, string>>>;
  /** The name of a member in the spelling of `members`, if the API takes more than one. */
  spell?(name: string): string;
  /** How a model is told how much to reason. By default, it cannot be told. */
  reasoning?(target: ModelTarget): ReasoningLevels;
  /** Which of these parameters a model refuses. */
  refusedParams?(target: ModelTarget, params: RequestParams): readonly (keyof RequestParams)[];
  /** How many stop sequences a request may have, and what each must match. By default, none. */
  stops?(target: ModelTarget): { readonly most: number; readonly pattern?: RegExp };
  /** The members that ask for a JSON object of any form. Absent if they cannot be asked for. */
  readonly jsonObject?: JsonObject;
  /** Whether a model caches a prompt only where the request marks it. */
  needsCacheMarkers?(target: ModelTarget): boolean;
  /** The functions that stand for a tool which the client runs; undefined for a tool of the provider. */
  readClientTool?(tool: JsonObject, text: string): readonly ReplacementTool[] | undefined;
  /** A call or a result of such a tool in the history, where the view does not show it as one. */
  readClientBlock?(native: JsonObject): ContentBlock | undefined;
  /** Which of the tools that several providers have this one is. */
  readServerTool?(tool: JsonObject): ServerToolKind | undefined;
  /** A function whose arguments the provider holds to their schema. Absent if it holds none. */
  writeStrictTool?(tool: FunctionTool): JsonObject;
  /** A tool of the provider in its own words; undefined if it has none of this kind, or not beside functions. */
  writeServerTool?(kind: ServerToolKind, target: ModelTarget, hasFunctions: boolean): JsonObject | undefined;
  /** Matches a text of the system prompt that is meant for the vendor alone. */
  readonly vendorText?: RegExp;
}

/** What one member of a request means. */
export interface MemberMeaning {
  /** The setting that it holds. It is carried to protocols that have the same setting. */
  readonly setting?: RequestSetting;
  /** Each value of the member with the word for it that all protocols share. Other values have no counterpart elsewhere. */
  readonly words?: readonly (readonly [native: unknown, word: string])[];
  /** The longest text that the API takes. */
  readonly maxLength?: number;
  /** Whether the API takes it only from models that were told to reason. */
  readonly needsReasoning?: boolean;
  /** Who takes it, if not everyone who speaks the protocol does. */
  readonly isTaken?: (target: ModelTarget) => boolean;
  /** Reads a member that is more than one setting; undefined if its value has no counterpart elsewhere. */
  readonly read?: (value: unknown) => MemberValue | undefined;
  /**
   * What happens where the target has no counterpart: the request is refused, because its program relies on the member;
   * the loss is reported; or nothing, because whoever serves the client does what the member asks.
   */
  readonly otherwise: 'refused' | 'reported' | 'served';
  /** Values that ask for nothing, besides `null`. */
  readonly idle?: readonly unknown[];
}

/** Settings that several protocols have under different names. */
export type RequestSetting =
  | 'cache-key'
  | 'cache-retention'
  | 'frequency-penalty'
  | 'labels'
  | 'media-resolution'
  | 'presence-penalty'
  | 'service-tier'
  | 'thoughts'
  | 'top-k'
  | 'user'
  | 'verbosity';

/** What a member asks for, as parameters and settings that other protocols have, too. */
export interface MemberValue {
  readonly params?: RequestParams;
  readonly settings?: Readonly<Partial<Record<RequestSetting, unknown>>>;
  readonly output?: OutputRequest;
  /** How many replies are wanted. */
  readonly copies?: number;
  /** A tool of the provider that the member asks for. */
  readonly serverTool?: ServerToolKind;
  /** Names of inner members that have no counterpart elsewhere. */
  readonly lost?: readonly string[];
}

/** A wish for an answer in JSON: by a schema, or without one any object. */
export interface OutputRequest {
  readonly schema?: JsonObject;
  readonly isStrict?: boolean;
}

/** How a model is told how much to reason. */
export interface ReasoningLevels {
  /** The levels that it takes, from the least; `none` switches reasoning off. */
  readonly efforts: readonly string[];
  /** Whether it takes a number of tokens. */
  readonly takesBudget: boolean;
}

/** Tools that several providers run for the model. */
export type ServerToolKind = 'web-search' | 'web-fetch' | 'code-execution' | 'image-generation';

/** A function that stands for a tool which the client runs. */
export interface ReplacementTool extends FunctionTool {
  /** How the client knows the tool. */
  readonly served: ServedTool;
  /** Whether the client's protocol has the tool in another form than that of a function. */
  readonly isStandIn?: boolean;
  /** Whether the provider is to hold the arguments to their schema. */
  readonly isStrict?: boolean;
  /** Members of the tool's definition that the function does not have. */
  readonly lost?: readonly string[];
}

/** A tool as the client knows it: calls come back under its name and in its form. */
export interface ServedTool {
  readonly name: string;
  /** The kind of call in the client's protocol, if it is not a function call. */
  readonly form?: string;
  /** The group of tools that the name belongs to. */
  readonly namespace?: string;
}

/** A function tool that has more members than others take. */
export function standInFunction(
  {
    name,
    description,
    parameters,
    strict,
  }: Readonly<Record<'name' | 'description' | 'parameters' | 'strict', unknown>>,
  lost: readonly string[],
): ReplacementTool[] | undefined {
  if (typeof name !== 'string') return undefined;
  return [
    {
      name,
      ...(typeof description === 'string' && { description }),
      parameters: isObject(parameters) ? parameters : { type: 'object', properties: {} },
      served: { name },
      ...(strict === true && { isStrict: true }),
      ...(lost.length > 0 && { lost }),
    },
  ];
}

/** The names of members that an object has besides those that are known, and besides those without a value. */
export function otherMembers(value: JsonObject, ...known: readonly string[]): string[] {
  return Object.keys(value).filter((name) => !known.includes(name) && value[name] !== null && value[name] !== false);
}

/** A tool that takes free text, as a function with one text. A grammar that other providers cannot enforce is told in words. */
export function standInCustom(name: string, description: unknown, format: unknown): ReplacementTool {
  const { definition, syntax } = isObject(format) ? format : {};
  const grammar =
    typeof definition === 'string' ? `The input must match this ${String(syntax)} grammar:\n${definition}` : undefined;
  const about = [description, grammar].filter((text) => typeof text === 'string' && text !== '').join('\n\n');
  return {
    name,
    ...(about !== '' && { description: about }),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
      required: ['input'],
      additionalProperties: false,
    },
    served: { name, form: 'custom' },
    isStandIn: true,
    ...(grammar !== undefined && { lost: ['format'] }),
  };
}
