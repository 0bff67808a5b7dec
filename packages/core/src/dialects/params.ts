import { findMembers, isObject, type JsonObject, type Path, parseJson, textAt } from '../json/index.ts';
import { dropped, type LossNote } from './loss.ts';
import type { RequestParams, ToolDefinition } from './request.ts';
import type { BodyMember } from './write/frame.ts';
import { targetToolName } from './write/tool-calls.ts';
import type { Target } from './write/writer.ts';

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
