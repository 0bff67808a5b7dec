import type { RequestParams, SchemaFormat, ToolDefinition } from '../dialects/index.ts';
import { readQuirk } from '../dialects/provider.ts';
import { mergeJson } from '../dialects/write/frame.ts';
import { SkeinError } from '../error.ts';
import { isJson, isObject, type JsonObject } from '../json/index.ts';
import type { Target } from './question.ts';
import type { RunStop } from './result.ts';
import { checkStandard, makeJsonSchemaCheck } from './tools/check-arguments.ts';
import {
  type CheckResult,
  type Finding,
  findingLines,
  isStandard,
  readJsonSchema,
  type StandardSchema,
  type Tool,
} from './tools/tool.ts';

/** The parts of a request that the wanted output changes. */
export interface RequestDraft {
  readonly tools: readonly ToolDefinition[];
  readonly params: RequestParams;
  readonly extra: JsonObject | string | undefined;
}

const TOOL = 'final_answer';

/** When a run ends for one of these reasons, there is no answer yet. */
const UNFINISHED: ReadonlySet<string> = new Set<RunStop['reason']>([
  ...(['steps', 'tokens', 'cost', 'time', 'stopped', 'aborted', 'approval'] as const),
]);

/** The schema that the answer of a run must follow. */
export class OutputSchema {
  readonly #schema: JsonObject;
  readonly #check: (text: string) => Promise<CheckResult<unknown>>;
  /** The model calls it with the answer, if its provider has no other way. */
  readonly tool: Tool;
  /** The answer, if it was given by a call. */
  answer: string | undefined;

  constructor(output: StandardSchema | JsonObject) {
    const schema = isStandard(output) ? readJsonSchema(output) : output;
    if (!schema)
      throw new TypeError('The schema in "output" provides no JSON Schema: use one that does, or a JSON Schema');
    this.#schema = schema;
    this.#check = isStandard(output) ? (text) => checkStandard(text, output, schema) : makeJsonSchemaCheck(schema);
    this.tool = {
      name: TOOL,
      description: 'Gives the final answer. Call it once, when everything else is done.',
      parameters: schema,
      native: [],
      sequential: true,
      timeoutMs: undefined,
      // Checked at the end, as a reply in text is.
      check: async (text) => ({ value: text }),
      execute: (text) => {
        this.answer = String(text);
        return 'Taken.';
      },
      needsApproval: () => false,
    };
  }

  /** Asks a model for the output, in the way that it supports. */
  ask({ dialect, provider, model }: Target, { tools, params, extra }: RequestDraft): RequestDraft {
    const others = tools.filter((one) => !('name' in one && one.name === TOOL));
    const formatted = formatOutput({ dialect, provider, model }, this.#schema, others.length > 0);
    if (formatted) {
      const given = typeof extra === 'object' ? JSON.stringify(extra) : extra;
      const body = JSON.stringify(formatted);
      return { tools: others, params, extra: given === undefined ? body : mergeJson(body, given) };
    }
    const { reasoning } = params;
    // `thinking-forced-tool`, `forced-tool-unsupported`
    const thinks = reasoning ? reasoning.effort !== 'none' : false;
    const mayForce = !thinks && !readQuirk({ provider, model }, 'alwaysThinks', false);
    const forced = others.length > 0 ? 'required' : { name: TOOL };
    return { tools, params: { ...params, toolChoice: mayForce ? forced : 'auto' }, extra };
  }

  /** Reads the output of a run that ended; undefined when there is no answer yet. Throws when the answer does not follow the schema. */
  async read(lastText: string, { reason, native }: RunStop): Promise<unknown> {
    if (UNFINISHED.has(reason)) return undefined;
    const text = this.answer ?? lastText;
    const checked = isJson(text) ? await this.#check(text) : { issues: [{ message: 'the reply is not JSON' }] };
    if (!checked.issues) return checked.value;
    const early = reason === 'end' ? [] : [{ message: `the reply ended with "${native ?? reason}"` }];
    throw new InvalidOutputError([...checked.issues, ...early]);
  }
}

/**
 * The members of a request that ask a model for an answer by a schema; undefined if it cannot be asked like that.
 *
 * @example
 * const members = formatOutput({ dialect: anthropicMessages, provider, model: 'claude-opus-5-5' }, schema, false);
 */
export function formatOutput(
  target: Pick<Target, 'dialect' | 'provider' | 'model'>,
  given: JsonObject,
  hasTools: boolean,
): JsonObject | undefined {
  const says = (quirk: string) => readQuirk(target, quirk, 'format');
  const way = target.dialect.output?.schema;
  if (!way || says('output') !== 'format' || (hasTools && says('outputWithTools') !== 'format')) return undefined;
  const schema = narrow(given, way);
  return way.onlyClosed && !isClosed(schema) ? undefined : way.body(schema, isStrict(schema));
}

/** An answer that does not follow its schema. */
export class InvalidOutputError extends SkeinError {
  override readonly name = 'InvalidOutputError';
  readonly code = 'invalid_output';
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super(`The answer does not follow its schema:\n${findingLines(findings)}`);
    this.findings = findings;
  }
}

/** Keywords whose value is a schema or a list of schemas; those of `MAPS` have schemas by name. */
const HOLDERS = new Set([
  ...['items', 'additionalProperties', 'not', 'contains', 'if', 'then', 'else', 'propertyNames'],
  ...['anyOf', 'oneOf', 'allOf', 'prefixItems'],
]);
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** The keywords that OpenAI accepts in a strict schema. */
const STRICT = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', '$ref', '$defs'],
  ...['definitions', 'title', 'description', 'pattern', 'format', 'multipleOf', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'],
]);

/** The schema without what a provider refuses. An answer is still checked by the original schema. */
export function narrow(schema: JsonObject, way: Pick<SchemaFormat, 'closes' | 'without'>): JsonObject {
  const closes = way.closes && isObject(schema.properties) && schema.additionalProperties === undefined;
  const kept = Object.entries(schema).filter(([keyword]) => !way.without.includes(keyword));
  const narrowed = kept.map(([keyword, value]) => [
    keyword,
    // The members of `allOf` describe one object together: closed one by one, they would shut each other out.
    inside(keyword, value, (inner) => narrow(inner, keyword === 'allOf' ? { ...way, closes: false } : way)),
  ]);
  return { ...Object.fromEntries(narrowed), ...(closes && { additionalProperties: false }) };
}

/** Whether all objects allow only the properties that the schema names. */
export function isClosed(schema: JsonObject): boolean {
  return everySchema(schema, (one) => !describesObject(one) || one.additionalProperties === false);
}

/** Whether OpenAI accepts it as strict: closed, every property required, and no keyword that it refuses. */
export function isStrict(schema: JsonObject): boolean {
  return everySchema(schema, (one) => {
    if (!Object.keys(one).every((keyword) => STRICT.has(keyword))) return false;
    if (!describesObject(one)) return true;
    const required: readonly unknown[] = Array.isArray(one.required) ? one.required : [];
    const names = isObject(one.properties) ? Object.keys(one.properties) : [];
    return one.additionalProperties === false && names.every((name) => required.includes(name));
  });
}

function describesObject({ type, properties }: JsonObject): boolean {
  return properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function everySchema(schema: JsonObject, holds: (schema: JsonObject) => boolean): boolean {
  let all = holds(schema);
  for (const [keyword, value] of Object.entries(schema))
    inside(keyword, value, (inner) => {
      all &&= everySchema(inner, holds);
      return inner;
    });
  return all;
}

/** The value of a keyword, with the schemas directly inside it changed. */
function inside(keyword: string, value: unknown, change: (schema: JsonObject) => JsonObject): unknown {
  const changed = (one: unknown) => (isObject(one) ? change(one) : one);
  if (MAPS.has(keyword) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, changed(one)]));
  if (!HOLDERS.has(keyword)) return value;
  return Array.isArray(value) ? value.map(changed) : changed(value);
}
