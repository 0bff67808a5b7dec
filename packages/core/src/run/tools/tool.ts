import type { NativeTool } from '../../dialects/index.ts';
import type { JsonObject } from '../../json/index.ts';
import type { InferSchema } from './infer-schema.ts';
import { jsonSchemaOf } from './schema-of.ts';
import type { StandardSchema, Tool, ToolContext, ToolOutput } from './types.ts';

export interface ToolOptions<Input> {
  readonly name: string;
  readonly description?: string;
  /** What the tool takes: a Standard Schema (zod, arktype, valibot …) or a JSON Schema; nothing by default. */
  readonly input?: StandardSchema<Input> | JsonObject;
  /** The JSON Schema to send, where `input` cannot give one itself. */
  readonly parameters?: JsonObject;
  readonly native?: readonly NativeTool[];
  readonly execute: (input: Input, context: ToolContext) => ToolOutput | Promise<ToolOutput>;
  /** Runs alone, in the order of the calls; by default, calls run side by side. */
  readonly sequential?: boolean;
  readonly timeoutMs?: number;
  readonly needsApproval?: boolean | ((input: Input, context: ToolContext) => boolean | Promise<boolean>);
}

const NOTHING: JsonObject = { type: 'object', properties: {} };

/** A tool that models can call. */
export function tool<Input>(options: ToolOptions<Input> & { readonly input: StandardSchema<Input> }): Tool<Input>;
export function tool<const Schema extends JsonObject>(
  options: ToolOptions<InferSchema<Schema>> & { readonly input: Schema },
): Tool<InferSchema<Schema>>;
export function tool(options: ToolOptions<JsonObject> & { readonly input?: undefined }): Tool<JsonObject>;
export function tool<Input>(options: ToolOptions<Input>): Tool<Input> {
  const { name, input = NOTHING, execute, needsApproval = false } = options;
  if (name.trim() === '') throw new TypeError('A tool needs a name');
  const standard = isStandard(input) ? input : undefined;
  const parameters = options.parameters ?? (isStandard(input) ? jsonSchemaOf(input) : input);
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
    const { checkStandard } = await import('./standard-schema.ts');
    return checkStandard(text, schema, parameters);
  };
}

/** Whoever gives a JSON Schema says that the input is what it describes. */
function schemaCheck<Input>(parameters: JsonObject): Tool<Input>['check'] {
  let made: Promise<Tool<Input>['check']> | undefined;
  return async (text) => {
    made ??= import('./json-schema.ts').then(
      ({ jsonSchemaCheck }) => jsonSchemaCheck(parameters) as Tool<Input>['check'],
    );
    return (await made)(text);
  };
}

/** Some libraries make schemas that are functions. */
export function isStandard<Input>(schema: StandardSchema<Input> | JsonObject): schema is StandardSchema<Input> {
  return '~standard' in schema;
}
