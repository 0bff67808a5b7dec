import { digest, isObject, type JsonObject, type Path, parseJson, textAt } from '../../json/index.ts';
import type { ToolUseBlock, UnknownBlock } from '../../message/index.ts';
import { areArguments } from '../write/arguments.ts';
import { VIEW_ID } from '../write/tool-names.ts';

/** One call of an assistant message, and where it stands. */
export interface NativeCall {
  readonly path: Path;
  readonly block: ToolUseBlock | UnknownBlock;
  readonly kind: 'function' | 'legacy' | 'custom' | 'unknown';
  /** The arguments of a function call as the string they came in; undefined where they are no string. */
  readonly arguments: string | undefined;
}

/** The calls of a message in order: `tool_calls`, then the older `function_call`. */
export function nativeCalls(raw: string, message: JsonObject): NativeCall[] {
  const listed = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const calls = listed.map((call: unknown, index) => listedCall(raw, call, index));
  const legacy = message.function_call;
  // Some compatible providers send every optional member, blank.
  if (isObject(legacy) && typeof legacy.name === 'string' && legacy.name !== '')
    calls.push(functionCall(raw, legacy, ['function_call'], viewId(raw, calls.length), 'legacy'));
  return calls;
}

function listedCall(raw: string, call: unknown, index: number): NativeCall {
  const path = ['tool_calls', index];
  if (isObject(call)) {
    const id = typeof call.id === 'string' && call.id !== '' ? call.id : viewId(raw, index);
    const { custom, function: called } = call;
    if (call.type === 'custom' && isObject(custom) && typeof custom.name === 'string')
      return customCall(raw, custom, path, id);
    if (isObject(called) && typeof called.name === 'string') return functionCall(raw, called, path, id, 'function');
  }
  return { path, block: { type: 'unknown', native: textAt(raw, path)! }, kind: 'unknown', arguments: undefined };
}

function functionCall(
  raw: string,
  called: JsonObject,
  path: Path,
  id: string,
  kind: 'function' | 'legacy',
): NativeCall {
  const text = typeof called.arguments === 'string' ? called.arguments : undefined;
  const place = kind === 'legacy' ? [...path, 'arguments'] : [...path, 'function', 'arguments'];
  const rawParameters = text ?? (isObject(called.arguments) ? textAt(raw, place)! : '');
  const block = toolUse(id, String(called.name), rawParameters);
  return { path, block, kind, arguments: text };
}

/** A custom tool takes free text: it is shown as an object with the one member `input`. */
function customCall(raw: string, custom: JsonObject, path: Path, id: string): NativeCall {
  const input = typeof custom.input === 'string' ? textAt(raw, [...path, 'custom', 'input'])! : '""';
  return { path, block: toolUse(id, String(custom.name), `{"input":${input}}`), kind: 'custom', arguments: undefined };
}

function toolUse(id: string, name: string, rawParameters: string): ToolUseBlock {
  const blank = rawParameters.trim() === '';
  const parameters = !blank && areArguments(rawParameters) ? (parseJson(rawParameters) as JsonObject) : {};
  return { type: 'tool-use', id, name, parameters, rawParameters };
}

function viewId(raw: string, index: number): string {
  return `${VIEW_ID}${digest(raw).slice(0, 12)}_${index}`;
}

/**
 * Why a call cannot be sent as it is. Where the stream was cut, arguments that do not parse were never complete, nor
 * were missing ones of the last call; free text does not show whether it ended.
 */
export function callProblem(call: NativeCall, isLast: boolean, cut: boolean): 'cut' | 'arguments' | undefined {
  if (call.kind === 'custom') return cut && isLast ? 'cut' : undefined;
  if (call.arguments === undefined) return undefined;
  if (cut && isLast && call.arguments.trim() === '') return 'cut';
  if (areArguments(call.arguments)) return undefined;
  return cut ? 'cut' : 'arguments';
}
