import { isObject, type JsonObject, membersOf, removals, splice } from '../../json/index.ts';
import type { RequestParams } from '../request.ts';
import { field, isField, objectField, stringField } from './fields.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface Params {
  readonly params: RequestParams;
  readonly rest: Readonly<Record<string, string>>;
}

/** Takes the parameters that every dialect knows out of the members of a request; the rest keeps its exact text. */
export function readParams(members: Readonly<Record<string, string>>): Params {
  const params: Writable<RequestParams> = {};
  const rest: Record<string, string> = {};
  for (const [name, text] of Object.entries(members)) {
    const value: unknown = JSON.parse(text);
    const read = isField(name, 'generationConfig')
      ? readGeneration
      : isField(name, 'toolConfig')
        ? readTools
        : undefined;
    const left = read && isObject(value) ? read(value, text, params) : text;
    if (left !== '{}' || text === '{}') rest[name] = left;
  }
  return { params, rest };
}

const NUMBERS = [
  ['maxOutputTokens', 'maxTokens'],
  ['temperature', 'temperature'],
  ['topP', 'topP'],
  ['seed', 'seed'],
] as const;

function readGeneration(value: JsonObject, text: string, params: Writable<RequestParams>): string {
  const read: string[] = [];
  for (const [name, param] of NUMBERS) {
    const found = field(value, name);
    // A double cannot hold every seed: what it would change stays where it is.
    if (typeof found !== 'number' || (param === 'seed' && !Number.isSafeInteger(found))) continue;
    params[param] = found;
    read.push(name);
  }
  const stop = field(value, 'stopSequences');
  if (Array.isArray(stop) && stop.every((word) => typeof word === 'string')) {
    params.stop = stop;
    read.push('stopSequences');
  }
  const left = without(text, read);
  const thinking = objectField(value, 'thinkingConfig');
  return thinking ? within(left, 'thinkingConfig', (inner) => readThinking(thinking, inner, params)) : left;
}

function readThinking(value: JsonObject, text: string, params: Writable<RequestParams>): string {
  const budget = field(value, 'thinkingBudget');
  const level = stringField(value, 'thinkingLevel');
  const reasoning = {
    ...(level !== undefined && { effort: level.toLowerCase() }),
    ...(typeof budget === 'number' && { budget }),
  };
  if (Object.keys(reasoning).length === 0) return text;
  params.reasoning = reasoning;
  return without(text, ['thinkingLevel', ...(typeof budget === 'number' ? ['thinkingBudget'] : [])]);
}

function readTools(value: JsonObject, text: string, params: Writable<RequestParams>): string {
  const calling = objectField(value, 'functionCallingConfig');
  const choice = calling && choiceOf(calling);
  if (choice === undefined) return text;
  params.toolChoice = choice;
  return within(text, 'functionCallingConfig', (inner) => without(inner, ['mode', 'allowedFunctionNames']));
}

function choiceOf(calling: JsonObject): RequestParams['toolChoice'] {
  const names = field(calling, 'allowedFunctionNames');
  const mode = field(calling, 'mode');
  const allowed: readonly unknown[] = Array.isArray(names) ? names : [];
  if (mode === 'ANY' && allowed.length === 1 && typeof allowed[0] === 'string') return { name: allowed[0] };
  if (allowed.length > 0) return undefined;
  return mode === 'AUTO' ? 'auto' : mode === 'NONE' ? 'none' : mode === 'ANY' ? 'required' : undefined;
}

function without(text: string, names: readonly string[]): string {
  const members = membersOf(text);
  const edits = removals(members, (index) => names.some((name) => isField(members[index]!.name, name)));
  return members.length > 0 && edits.length === members.length ? '{}' : splice(text, edits);
}

/** Rewrites one member, and leaves it out when nothing of it is left. */
function within(text: string, name: string, rewrite: (inner: string) => string): string {
  const member = membersOf(text).findLast((candidate) => isField(candidate.name, name));
  if (!member) return text;
  const inner = text.slice(member.start, member.end);
  const left = rewrite(inner);
  if (left === inner) return text;
  return left === '{}' ? without(text, [name]) : splice(text, [{ start: member.start, end: member.end, text: left }]);
}
