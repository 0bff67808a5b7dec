import { isObject, type JsonObject, parseJson } from '../json/index.ts';
import { type Mentioned, mentionedFields } from './refusal-wordings.ts';

const MESSAGE_LISTS = ['messages', 'input', 'contents'];

/** Names that mean something in one place and are indispensable in another: a pattern would cut out both. */
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
 * refuses something else. Only fields that the request really held count, and only where leaving them out everywhere
 * takes nothing else along.
 */
export function refusedFields(status: number, errorText: string, requestBody: string): readonly string[] {
  if (status !== 400 && status !== 422) return [];
  const mentioned = mentionedFields(errorText);
  if (mentioned.length === 0) return [];
  const body = parseJson(requestBody);
  if (!isObject(body)) return [];
  const patterns = mentioned.map((field) => patternOf(field, body)).filter((pattern) => pattern !== undefined);
  return [...new Set(patterns)];
}

/** Where the field is in the request, with `*` for places in lists. */
function patternOf({ steps }: Mentioned, body: JsonObject): string | undefined {
  const [list, index, ...inner] = steps;
  if (list === undefined || index === undefined || !MESSAGE_LISTS.includes(list)) return undefined;
  const messages = body[list];
  if (!Array.isArray(messages)) return undefined;
  const message: unknown = messages[Number(index)];
  const found = locate(message, inner);
  const name = found?.path.at(-1);
  if (!found || name === undefined || INDISPENSABLE.has(name)) return undefined;
  const pattern = found.path.map((step) => (/^\d+$/.test(step) ? '*' : step));
  const type = typeOf(found.owner);
  const takesOthersAlong = messages.some((one: unknown) =>
    ownersOf(one, pattern).some((owner) => typeOf(owner) !== type),
  );
  return takesOthersAlong ? undefined : pattern.join('.');
}

interface Found {
  readonly path: readonly string[];
  readonly owner: JsonObject;
}

/**
 * Follows the steps of an error message. Those that only name a kind (`tool_use`, `assistant`, also `text`) are not in
 * the request, so each but the last may be skipped.
 */
function locate(value: unknown, [step, ...rest]: readonly string[]): Found | undefined {
  if (step === undefined) return undefined;
  const key = keyIn(value, step);
  if (rest.length === 0) return key !== undefined && isObject(value) ? { path: [key], owner: value } : undefined;
  const inside = key === undefined ? undefined : locate((value as Readonly<Record<string, unknown>>)[key], rest);
  return inside ? { path: [key!, ...inside.path], owner: inside.owner } : locate(value, rest);
}

/** Google names fields in snake_case, however they were sent. */
function keyIn(value: unknown, step: string): string | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(step) && Number(step) < value.length ? step : undefined;
  if (!isObject(value)) return undefined;
  const camel = step.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [step, camel].find((key) => Object.hasOwn(value, key));
}

/** The objects that hold a field of that pattern. */
function ownersOf(value: unknown, [step, ...rest]: readonly string[]): readonly JsonObject[] {
  if (step === '*') return Array.isArray(value) ? value.flatMap((one: unknown) => ownersOf(one, rest)) : [];
  if (step === undefined || !isObject(value) || !Object.hasOwn(value, step)) return [];
  return rest.length === 0 ? [value] : ownersOf(value[step], rest);
}

function typeOf({ type, role }: JsonObject): unknown {
  return type ?? role;
}
