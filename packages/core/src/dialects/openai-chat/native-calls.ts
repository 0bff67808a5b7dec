import { digest, isObject, type JsonObject, type Path, parseJson, textAt } from '../../json/index.ts';
import type { ToolUseBlock, UnknownBlock } from '../../message/index.ts';
import { areArguments } from '../write/arguments.ts';
import { VIEW_ID } from '../write/tool-names.ts';
import { elementsIn, isText } from './native-message.ts';

/** One call of an assistant message, and where it stands. */
export interface NativeCall {
  readonly path: Path;
  readonly block: ToolUseBlock | UnknownBlock;
  /** The arguments of a function call where they are a string, as they should be, and where that stands. */
  readonly args?: { readonly path: Path; readonly text: string };
}

/** The calls of a message in order: `tool_calls`, then the older `function_call`. */
export function nativeCalls(raw: string, message: JsonObject): NativeCall[] {
  const calls = elementsIn(raw, message, 'tool_calls', (value, native, index): NativeCall => {
    const path = ['tool_calls', index];
    const call = isObject(value) ? value : {};
    const member = call.type === 'custom' ? 'custom' : 'function';
    const id = isText(call.id) ? call.id : viewId(raw, index);
    return callOf(raw, path, [...path, member], call[member], id) ?? { path, block: { type: 'unknown', native } };
  });
  const { function_call: legacy } = message;
  const path = ['function_call'];
  const call = isObject(legacy) && isText(legacy.name) && callOf(raw, path, path, legacy, viewId(raw, calls.length));
  return call ? [...calls, call] : calls;
}

/** A custom tool takes free text: it is shown as an object with the one member `input`. */
function callOf(raw: string, path: Path, place: Path, called: unknown, id: string): NativeCall | undefined {
  if (!isObject(called) || typeof called.name !== 'string') return undefined;
  const use = { type: 'tool-use', id, name: called.name } as const;
  if (place.at(-1) === 'custom') {
    const rawParameters = `{"input":${textAt(raw, [...place, 'input']) ?? '""'}}`;
    const parameters = parseJson(rawParameters) as JsonObject;
    return { path, block: { ...use, parameters, rawParameters, form: 'custom' } };
  }
  const at = [...place, 'arguments'];
  const { arguments: given } = called;
  const text = typeof given === 'string' ? given : isObject(given) ? textAt(raw, at)! : '';
  const parameters = text.trim() !== '' && areArguments(text) ? (parseJson(text) as JsonObject) : {};
  const block = { ...use, parameters, rawParameters: text };
  return typeof given === 'string' ? { path, block, args: { path: at, text } } : { path, block };
}

function viewId(raw: string, index: number): string {
  return `${VIEW_ID}${digest(raw).slice(0, 12)}_${index}`;
}

/**
 * Why a call cannot be sent as it is. Where the stream was cut, arguments that do not parse were never complete, nor
 * were missing ones of the last call; free text does not show whether it ended.
 */
export function callProblem(
  { block, args }: NativeCall,
  isLast: boolean,
  cut: boolean,
): 'cut' | 'arguments' | undefined {
  const isOpen = cut && isLast;
  if (!args) return isOpen && block.type === 'tool-use' && block.form ? 'cut' : undefined;
  if (isOpen && args.text.trim() === '') return 'cut';
  return areArguments(args.text) ? undefined : cut ? 'cut' : 'arguments';
}
