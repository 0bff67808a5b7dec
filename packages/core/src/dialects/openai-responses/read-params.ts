import { isObject, type JsonObject, membersOf, skipSpace, splice, withoutMembers } from '../../json/index.ts';
import type { RequestParams } from '../request.ts';

/** The parameters that every dialect has a word for, and all other members as exact texts; none is in both. */
export function paramsOf(
  body: string,
  value: JsonObject,
  taken: ReadonlySet<string>,
): { params: RequestParams; rest: Record<string, string> } {
  let params: RequestParams = {};
  const rest: Record<string, string> = {};
  for (const member of membersOf(body)) {
    if (taken.has(member.name)) continue;
    const text = body.slice(member.start, member.end);
    const read = paramOf(member.name, value[member.name]);
    if (read) params = { ...params, ...read };
    const left = read ? leftover(member.name, value[member.name], text) : text;
    if (left !== undefined) rest[member.name] = left;
  }
  return { params, rest };
}

function paramOf(name: string, value: unknown): RequestParams | undefined {
  switch (name) {
    case 'max_output_tokens':
      return typeof value === 'number' ? { maxTokens: value } : undefined;
    case 'temperature':
      return typeof value === 'number' ? { temperature: value } : undefined;
    case 'top_p':
      return typeof value === 'number' ? { topP: value } : undefined;
    case 'stream':
      return typeof value === 'boolean' ? { stream: value } : undefined;
    case 'parallel_tool_calls':
      return typeof value === 'boolean' ? { parallelToolCalls: value } : undefined;
    case 'tool_choice':
      return toolChoiceOf(value);
    case 'reasoning':
      return isObject(value) && typeof value.effort === 'string' ? { reasoning: { effort: value.effort } } : undefined;
    default:
      return undefined;
  }
}

function toolChoiceOf(value: unknown): RequestParams | undefined {
  if (value === 'auto' || value === 'none' || value === 'required') return { toolChoice: value };
  if (!isObject(value) || value.type !== 'function' || typeof value.name !== 'string') return undefined;
  return { toolChoice: { name: value.name } };
}

/** What a parameter does not cover: the members of `reasoning` beside `effort`. */
function leftover(name: string, value: unknown, text: string): string | undefined {
  if (name !== 'reasoning' || !isObject(value) || Object.keys(value).length === 1) return undefined;
  return splice(
    text,
    withoutMembers(text, skipSpace(text, 0), (member) => member === 'effort'),
  );
}
