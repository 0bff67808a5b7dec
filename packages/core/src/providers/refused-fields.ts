import type { ProviderDescriptor } from '../dialects/provider.ts';
import { isObject, type JsonObject, parseJson } from '../json/index.ts';

/**
 * The fields that providers have refused, by model, for as long as the process lives.
 *
 * @example
 * const refusals = new RefusalMemory();
 * await run({ model, messages, refusals }).result;
 */
export class RefusalMemory {
  readonly #fields = new Map<string, Set<string>>();

  /** Remembers the fields; false when all of them were known, so that another attempt would change nothing. */
  learn({ issuer }: ProviderDescriptor, model: string, fields: readonly string[]): boolean {
    const key = JSON.stringify([issuer, model]);
    const known = this.#fields.get(key) ?? new Set();
    const before = known.size;
    for (const field of fields) known.add(field);
    this.#fields.set(key, known);
    return known.size > before;
  }

  /** The descriptor for that model, with the fields that it refused so far. */
  apply(provider: ProviderDescriptor, model: string): ProviderDescriptor {
    const fields = this.#fields.get(JSON.stringify([provider.issuer, model]));
    return fields ? addRefusedFields(provider, [...fields]) : provider;
  }
}

/** The descriptor with further refused fields. */
function addRefusedFields(provider: ProviderDescriptor, fields: readonly string[]): ProviderDescriptor {
  const known = provider.policies.refusedFields;
  const fresh = fields.filter((field) => !known.includes(field));
  if (fresh.length === 0) return provider;
  return { ...provider, policies: { ...provider.policies, refusedFields: [...known, ...fresh] } };
}

const MESSAGE_LISTS = ['messages', 'input', 'contents'];

/** Names that are optional in one place and required in another: a pattern would remove both. */
const INDISPENSABLE: ReadonlySet<string> = new Set([
  ...[
    'role',
    'content',
    'parts',
    'type',
    'text',
    'id',
    'name',
    'input',
    'output',
    'arguments',
    'args',
    'data',
    'source',
  ],
  ...['tool_calls', 'function', 'tool_call_id', 'tool_use_id', 'call_id', 'functionCall', 'functionResponse'],
  ...[
    'thinking',
    'signature',
    'summary',
    'encrypted_content',
    'thoughtSignature',
    'inlineData',
    'fileData',
    'response',
  ],
]);

/**
 * The fields of messages that a response refuses by name, as patterns for `policies.refusedFields`; none when it
 * refuses something else. Only fields that the request contained count, and only if removing them everywhere removes
 * nothing else.
 *
 * @example
 * const fields = refusedFields(error.status, error.rawBody, body);
 * if (fields.length > 0) refusals.learn(provider, model, fields);
 */
export function refusedFields(status: number, errorText: string, requestBody: string): readonly string[] {
  if (status !== 400 && status !== 422) return [];
  const mentioned = findMentions(errorText);
  if (mentioned.length === 0) return [];
  const body = parseJson(requestBody);
  if (!isObject(body)) return [];
  const patterns = mentioned.map((field) => toPattern(field, body)).filter((pattern) => pattern !== undefined);
  return [...new Set(patterns)];
}

/** The path of the field in the request, with `*` for indexes of lists. */
function toPattern({ steps }: FieldMention, body: JsonObject): string | undefined {
  const [list, index, ...inner] = steps;
  if (list === undefined || index === undefined || !MESSAGE_LISTS.includes(list)) return undefined;
  const messages = body[list];
  if (!Array.isArray(messages)) return undefined;
  const message: unknown = messages[Number(index)];
  const found = locate(message, inner);
  const name = found?.path.at(-1);
  if (!found || name === undefined || INDISPENSABLE.has(name)) return undefined;
  const pattern = found.path.map((step) => (/^\d+$/.test(step) ? '*' : step));
  const type = readType(found.owner);
  const removesOthers = messages.some((one: unknown) =>
    findOwners(one, pattern).some((owner) => readType(owner) !== type),
  );
  return removesOthers ? undefined : pattern.join('.');
}

interface FieldLocation {
  readonly path: readonly string[];
  readonly owner: JsonObject;
}

/**
 * Follows the steps of an error message. Those that only name a kind (`tool_use`, `assistant`, also `text`) are not in
 * the request, so each but the last may be skipped.
 */
function locate(value: unknown, [step, ...rest]: readonly string[]): FieldLocation | undefined {
  if (step === undefined) return undefined;
  const key = keyIn(value, step);
  if (rest.length === 0) return key !== undefined && isObject(value) ? { path: [key], owner: value } : undefined;
  const inside = key === undefined ? undefined : locate((value as Readonly<Record<string, unknown>>)[key], rest);
  return inside ? { path: [key!, ...inside.path], owner: inside.owner } : locate(value, rest);
}

/** Google names fields in snake_case, no matter how they were sent. */
function keyIn(value: unknown, step: string): string | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(step) && Number(step) < value.length ? step : undefined;
  if (!isObject(value)) return undefined;
  const camel = step.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [step, camel].find((key) => Object.hasOwn(value, key));
}

/** The objects that contain a field of that pattern. */
function findOwners(value: unknown, [step, ...rest]: readonly string[]): readonly JsonObject[] {
  if (step === '*') return Array.isArray(value) ? value.flatMap((one: unknown) => findOwners(one, rest)) : [];
  if (step === undefined || !isObject(value) || !Object.hasOwn(value, step)) return [];
  return rest.length === 0 ? [value] : findOwners(value[step], rest);
}

function readType({ type, role }: JsonObject): unknown {
  return type ?? role;
}

/** A field as an error names it: `messages.1.content.0.foo`, split into its steps. */
interface FieldMention {
  readonly steps: readonly string[];
}

/** How APIs say that they do not know a field; each pattern captures the path, and the name where it is separate. */
const WORDINGS: readonly RegExp[] = [
  // Anthropic: `messages.1.content.0.tool_use.foo: Extra inputs are not permitted`
  /(?<path>[\w.-]+): Extra inputs are not permitted/g,
  // OpenAI: `Unknown parameter: 'input[1].foo'.`
  /Unknown parameter: '(?<path>[^']+)'/g,
  // Google: `Unknown name "foo" at 'contents[0].parts[0]': Cannot find field.`
  /Unknown name "(?<name>[^"]+)" at '(?<path>[^']+)': Cannot find field/g,
  // Cerebras: `property 'messages.2.assistant.foo' is unsupported`; Groq: `'messages.2' : property 'foo' is unsupported`
  /'(?<path>messages\.\d+)' : property '(?<name>\w+)' is unsupported/g,
  /property '(?<path>messages\.\d+\.[\w.]+)' is unsupported/g,
  // Groq, for models that do not reason: `messages[1].reasoning: reasoning is not supported with this model`
  /(?<path>messages\[\d+\]\.\w+): \w+ is not supported with this model/g,
];

function findMentions(errorText: string): readonly FieldMention[] {
  const value = parse(errorText);
  const texts = value === undefined ? [errorText] : [...stringsIn(value)];
  const worded = texts.flatMap((text) =>
    WORDINGS.flatMap((wording) =>
      [...text.matchAll(wording)].map(({ groups }) => ({
        steps: [...splitPath(groups?.path ?? ''), ...(groups?.name === undefined ? [] : [groups.name])],
      })),
    ),
  );
  return [...worded, ...locatedFields(value)];
}

/** Mistral and other FastAPI servers: `{"type":"extra_forbidden","loc":["body","messages",1,"assistant","foo"]}`. */
function locatedFields(value: unknown): readonly FieldMention[] {
  if (Array.isArray(value)) return value.flatMap(locatedFields);
  if (!isObject(value)) return [];
  if (value.type !== 'extra_forbidden' || !Array.isArray(value.loc)) return Object.values(value).flatMap(locatedFields);
  const steps = value.loc.map(String);
  return [{ steps: steps[0] === 'body' ? steps.slice(1) : steps }];
}

function splitPath(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((step) => step !== '');
}

function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* stringsIn(inner);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
