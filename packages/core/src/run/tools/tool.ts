import type { NativeTool } from '../../dialects/index.ts';
import { isObject, type JsonObject, JsonTextError, parseJson } from '../../json/index.ts';
import type { Content, ContentBlock, MediaBlock, Message, ToolUseBlock } from '../../message/index.ts';
import type { Clock } from '../../providers/index.ts';

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

/** The schema of an answer: a Standard Schema that provides a JSON Schema, or a JSON Schema. */
export type AnswerSchema = StandardSchema | JsonObject;

/** The type of an answer by its schema; `unknown` for a JSON Schema that is no literal. */
export type InferAnswer<Schema> = Schema extends StandardSchema<infer Output> ? Output : FromSchema<Schema>;

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

/** The decision about a call that waits for approval: run it, refuse it, or answer it with a result written by hand. */
export type Approval = 'approve' | { readonly deny: string } | { readonly result: string };

/** How a call ended. */
export type Outcome = 'done' | 'failed' | 'invalid' | 'unknown-tool' | 'denied' | 'timed-out' | 'aborted' | 'not-run';

/** A call that can be run, one that is answered without running, or one that waits for approval. */
export type PreparedCall =
  | { readonly kind: 'ready'; readonly tool: Tool; readonly input: unknown }
  | { readonly kind: 'answered'; readonly outcome: Outcome; readonly text: string }
  | { readonly kind: 'waiting' };

export async function prepareCall(
  call: ToolUseBlock,
  tool: Tool | undefined,
  known: readonly string[],
  approval: Approval | undefined,
  context: ToolContext,
): Promise<PreparedCall> {
  if (typeof approval === 'object' && 'result' in approval) return answerWith('done', approval.result);
  if (!tool) return answerWith('unknown-tool', describeUnknownTool(call.name, known));
  try {
    const checked = await check(call, tool);
    if (checked.issues) return answerWith('invalid', describeFindings(checked.issues));
    if (typeof approval === 'object') return answerWith('denied', `The call was denied: ${approval.deny}`);
    const input = checked.value;
    const waits = approval !== 'approve' && (await tool.needsApproval(input, context));
    return waits ? { kind: 'waiting' } : { kind: 'ready', tool, input };
  } catch (error) {
    return answerWith('failed', `The call could not be prepared: ${describeError(error)}`);
  }
}

async function check({ rawParameters, form }: ToolUseBlock, tool: Tool): Promise<CheckResult<unknown>> {
  // Free text is its own argument.
  if (form === 'custom') return { value: rawParameters };
  const text = rawParameters.trim() === '' ? '{}' : rawParameters;
  try {
    if (!isObject(parseJson(text))) return { issues: [{ message: 'the arguments are not a JSON object' }] };
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return { issues: [{ message: `the arguments are not JSON: ${error.message}` }] };
  }
  return tool.check(text);
}

function answerWith(outcome: Outcome, text: string): PreparedCall {
  return { kind: 'answered', outcome, text };
}

function describeUnknownTool(name: string, known: readonly string[]): string {
  return `There is no tool named "${name}". ${known.length > 0 ? `There are: ${known.join(', ')}.` : 'There are none.'}`;
}

/** All findings at once, so that the model can correct them at once. */
function describeFindings(issues: readonly Finding[]): string {
  return `The tool was not run, because its arguments are not as its schema wants them:\n${findingLines(issues)}`;
}

export function findingLines(issues: readonly Finding[]): string {
  const lines = issues.map(({ message, path = [] }) => {
    const location = path.map((step) => String(isObject(step) ? step.key : step)).join('.');
    return `- ${location && `${location}: `}${message}`;
  });
  return lines.join('\n');
}

export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || error.name;
}

export interface CallResult {
  readonly outcome: Outcome;
  readonly content: Content;
}

/** Runs a tool until it is done, its time is up or the run is stopped. It never throws. */
export function performCall(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  clock: Clock,
  stops: StopList,
): Promise<CallResult> {
  const { signal } = context;
  if (signal.aborted) return Promise.resolve({ outcome: 'aborted', content: NOT_BEGUN });
  const own = new AbortController();
  return new Promise((resolve) => {
    const finish = (outcome: Outcome, content: Content) => {
      cancel();
      stops.remove(stop);
      resolve({ outcome, content });
    };
    const stop = () => {
      finish('aborted', STOPPED);
      own.abort(signal.reason);
    };
    const { timeoutMs } = tool;
    const cancel =
      timeoutMs === undefined
        ? () => {}
        : clock.setTimer(timeoutMs, () => {
            const problem = `The tool did not finish within ${timeoutMs / 1000} s.`;
            finish('timed-out', `${problem} ${UNSURE}`);
            own.abort(new Error(problem));
          });
    stops.add(stop);
    execute(tool, input, { ...context, signal: own.signal }).then(
      (content) => finish('done', content),
      (error: unknown) => finish('failed', describeError(error)),
    );
  });
}

const UNSURE = 'It may or may not have had an effect.';
const STOPPED = `The call was stopped before it was done. ${UNSURE}`;
const NOT_BEGUN = 'The call was stopped before it began.';

async function execute(tool: Tool, input: unknown, context: ToolContext): Promise<Content> {
  return toContent(await tool.execute(input, context));
}

/** One listener on a signal for any number of calls: Node warns of a leak from the eleventh listener on. */
export class StopList {
  readonly #stops = new Set<() => void>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#stopAll, { once: true });
  }

  readonly #stopAll = (): void => {
    for (const stop of this.#stops) stop();
  };

  add(stop: () => void): void {
    this.#stops.add(stop);
  }

  remove(stop: () => void): void {
    this.#stops.delete(stop);
  }

  dispose(): void {
    this.#signal.removeEventListener('abort', this.#stopAll);
  }
}

/** The output of a tool as content: text and blocks unchanged, everything else as JSON text. */
export function toContent(output: ToolOutput): Content {
  if (typeof output === 'string') return output;
  if (Array.isArray(output) && output.length > 0 && output.every(isBlock)) return output;
  if (isBlock(output)) return [output];
  return toJsonText(output ?? null);
}

function isBlock(value: unknown): value is ContentBlock {
  if (!isObject(value)) return false;
  return value.type === 'text' ? typeof value.text === 'string' : value.type === 'media' && isObject(value.source);
}

/** Marks the digits of a `bigint` until they are written as a number. */
const MARK = '\u0001bigint\u0001';

function toJsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${MARK}${inner}` : inner)) as
    | string
    | undefined;
  return (text ?? 'null').replace(/"\\u0001bigint\\u0001(-?\d+)"/g, '$1');
}
