import type { NativeTool } from '../../dialects/index.ts';
import type { JsonObject } from '../../json/index.ts';
import type { Content, MediaBlock, Message } from '../../message/index.ts';

/** A schema by the Standard Schema convention (zod, arktype, valibot …). */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => CheckResult<Output> | Promise<CheckResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** Standard JSON Schema: libraries that have it can be sent to a model without a schema beside them. */
    readonly jsonSchema?: { input(options: { readonly target: string }): JsonObject } | undefined;
  };
}

/** The checked value, or everything that is wrong with it. */
export type CheckResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Finding[] };

/** One thing that is wrong with the arguments of a call. */
export interface Finding {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** What a tool gets beside its input. */
export interface ToolContext {
  /** Aborts when the run is stopped or the time of the tool is up. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The history up to and including the message with the call. */
  readonly messages: readonly Message[];
  /** Adds a line to the end user's log of actions. */
  readonly note: (text: string) => void;
}

/** What a tool returns: text, content blocks (text and media), or any JSON value. */
export type ToolOutput =
  | Content
  | MediaBlock
  | JsonObject
  | readonly unknown[]
  | number
  | bigint
  | boolean
  | null
  | undefined;

/** A tool that models can call; made by `tool()`. */
// Methods, not properties: a tool for one kind of input must fit into a list of tools of any kind.
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments, as sent to the model. */
  readonly parameters: JsonObject;
  /** Sent in place of the schema, for dialects that have their own definition of this tool. */
  readonly native: readonly NativeTool[];
  /** Checks the exact text of the arguments. The result is the input for `execute`, or all findings. */
  check(argumentsText: string): Promise<CheckResult<Input>>;
  execute(input: Input, context: ToolContext): ToolOutput | Promise<ToolOutput>;
  /** Runs alone: after the calls before it, and before the calls after it. */
  readonly sequential: boolean;
  readonly timeoutMs: number | undefined;
  needsApproval(input: Input, context: ToolContext): boolean | Promise<boolean>;
}

/** What a tool is made of. */
export interface ToolOptions<Input> {
  readonly name: string;
  readonly description?: string;
  /** The schema of the input: a Standard Schema (zod, arktype, valibot …) or a JSON Schema; no input by default. */
  readonly input?: StandardSchema<Input> | JsonObject;
  /** The JSON Schema to send, if `input` cannot provide one. */
  readonly parameters?: JsonObject;
  readonly native?: readonly NativeTool[];
  readonly execute: (input: Input, context: ToolContext) => ToolOutput | Promise<ToolOutput>;
  /** Whether calls run alone, in their order; by default, calls run side by side. */
  readonly sequential?: boolean;
  readonly timeoutMs?: number;
  readonly needsApproval?: boolean | ((input: Input, context: ToolContext) => boolean | Promise<boolean>);
}

const NOTHING: JsonObject = { type: 'object', properties: {} };

/**
 * Makes a tool that models can call.
 *
 * @example
 * const weather = tool({
 *   name: 'weather',
 *   input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
 *   execute: ({ city }) => `Rain in ${city}`,
 * });
 * await run({ model, messages, tools: [weather] }).text;
 */
export function tool<Input>(options: ToolOptions<Input> & { readonly input: StandardSchema<Input> }): Tool<Input>;
export function tool<const Schema extends JsonObject>(
  options: ToolOptions<InferSchema<Schema>> & { readonly input: Schema },
): Tool<InferSchema<Schema>>;
export function tool(options: ToolOptions<JsonObject> & { readonly input?: undefined }): Tool<JsonObject>;
export function tool<Input>(options: ToolOptions<Input>): Tool<Input> {
  const { name, input = NOTHING, execute, needsApproval = false } = options;
  if (name.trim() === '') throw new TypeError('A tool needs a name');
  const standard = isStandard(input) ? input : undefined;
  const parameters = options.parameters ?? (isStandard(input) ? readJsonSchema(input) : input);
  if (!parameters)
    throw new TypeError(
      `The schema of the tool "${name}" (${standard?.['~standard'].vendor}) gives no JSON Schema: put one into "parameters"`,
    );
  const check = standard ? standardCheck(standard, parameters) : schemaCheck<Input>(parameters);
  return Object.freeze({
    name,
    ...(options.description !== undefined && { description: options.description }),
    parameters,
    native: options.native ?? [],
    check,
    execute,
    sequential: options.sequential ?? false,
    timeoutMs: options.timeoutMs,
    needsApproval: (value: Input, context: ToolContext) =>
      typeof needsApproval === 'function' ? needsApproval(value, context) : needsApproval,
  });
}

/** Checks are loaded on first use, with the first call. */
function standardCheck<Input>(schema: StandardSchema<Input>, parameters: JsonObject): Tool<Input>['check'] {
  return async (text) => {
    const { checkStandard } = await import('./check-arguments.ts');
    return checkStandard(text, schema, parameters);
  };
}

/** The caller vouches that `Input` is what the JSON Schema describes. */
function schemaCheck<Input>(parameters: JsonObject): Tool<Input>['check'] {
  let made: Promise<Tool<Input>['check']> | undefined;
  return async (text) => {
    made ??= import('./check-arguments.ts').then(
      ({ makeJsonSchemaCheck }) => makeJsonSchemaCheck(parameters) as Tool<Input>['check'],
    );
    return (await made)(text);
  };
}

/** Some libraries make schemas that are functions. */
export function isStandard<Input>(schema: StandardSchema<Input> | JsonObject): schema is StandardSchema<Input> {
  return '~standard' in schema;
}

/** The JSON Schema that the schema library provides. */
export function readJsonSchema(schema: StandardSchema): JsonObject | undefined {
  const given = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  if (!given) return undefined;
  // The draft does not matter to a model, and not every API accepts the member.
  const { $schema: _, ...plain } = given;
  return plain;
}

/**
 * The type that a JSON Schema describes, as far as its literals tell: objects, lists, enums, constants and unions. What they
 * do not tell, such as what is behind a `$ref`, is `unknown`; a schema that is no literal describes any object.
 */
export type InferSchema<Schema> = unknown extends FromSchema<Schema> ? JsonObject : FromSchema<Schema>;

type FromSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Choice)[] }
      ? FromSchema<Choice>
      : Schema extends { readonly oneOf: readonly (infer Choice)[] }
        ? FromSchema<Choice>
        : Schema extends { readonly type: readonly (infer Name)[] }
          ? FromType<Name, Schema>
          : Schema extends { readonly type: infer Name }
            ? FromType<Name, Schema>
            : FromObject<Schema>;

type FromType<Name, Schema> = Name extends 'string'
  ? string
  : Name extends 'number'
    ? number
    : Name extends 'integer'
      ? FromInteger<Schema>
      : Name extends 'boolean'
        ? boolean
        : Name extends 'null'
          ? null
          : Name extends 'array'
            ? FromArray<Schema>
            : FromObject<Schema>;

/** Large integers are given as `bigint`, so only one with a maximum is always a number. */
type FromInteger<Schema> = Schema extends { readonly maximum: number } | { readonly exclusiveMaximum: number }
  ? number
  : number | bigint;

type FromArray<Schema> = Schema extends { readonly items: infer Items } ? FromSchema<Items>[] : unknown[];

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Key in keyof Properties & RequiredKeys<Schema>]: FromSchema<Properties[Key]> } & {
        -readonly [Key in Exclude<keyof Properties, RequiredKeys<Schema>>]?: FromSchema<Properties[Key]>;
      }
    >
  : Schema extends { readonly type: 'object'; readonly additionalProperties: infer Values extends JsonObject }
    ? Record<string, FromSchema<Values>>
    : Schema extends { readonly type: 'object' }
      ? JsonObject
      : unknown;

type RequiredKeys<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never;

/** One object in place of two: what an editor shows. */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };
