import { isObject, isText, type JsonObject, mapElements, type Path, parseJson, textAt } from '../../json/index.ts';
import type { ContentBlock, Role, ToolUseBlock, UnknownBlock } from '../../message/index.ts';
import { forModel } from '../provider.ts';
import { areArguments, type Target, viewId } from '../write/index.ts';
import { openaiChatHome } from './provider.ts';

/** What a target does its own way; a descriptor that says nothing does as the home provider does. */
export function quirk(name: string, { provider, model }: Target): string | boolean {
  return forModel(provider.policies.quirks[name] ?? openaiChatHome.policies.quirks[name]!, model);
}

/** What stands for a reply without any message. */
export const EMPTY_MESSAGE = '{"role":"assistant","content":""}';

/** Whether nothing is left to send (`content-null`, `content-empty`). Thoughts alone are no answer. */
export function saysNothing(role: Role, blocks: readonly ContentBlock[]): boolean {
  if (role !== 'assistant') return blocks.length === 0;
  return blocks.every((block) => block.type === 'reasoning' || (block.type === 'text' && block.text === ''));
}

/** One call of an assistant message, and where it stands. */
interface NativeCall {
  readonly path: Path;
  readonly block: ToolUseBlock | UnknownBlock;
  /** The arguments of a function call where they are a string, as they should be, and where that stands. */
  readonly args?: { readonly path: Path; readonly text: string };
  /** A function call that says of no function: its beginning was lost on the way. */
  readonly isNameless?: boolean;
}

/** The calls of a message in order: `tool_calls`, then the older `function_call`. */
export function nativeCalls(raw: string, message: JsonObject): NativeCall[] {
  const calls = mapElements(raw, message, 'tool_calls', (value, native, index): NativeCall => {
    const path = ['tool_calls', index];
    const call = isObject(value) ? value : {};
    const member = call.type === 'custom' ? 'custom' : 'function';
    const id = isText(call.id) ? call.id : viewId(raw, index);
    const isOdd = isText(call.type) && call.type !== member;
    return (
      readCall(raw, path, [...path, member], call[member], id) ?? {
        path,
        block: { type: 'unknown', native },
        isNameless: !isOdd,
      }
    );
  });
  const { function_call: legacy } = message;
  const path = ['function_call'];
  const call = isObject(legacy) && isText(legacy.name) && readCall(raw, path, path, legacy, viewId(raw, calls.length));
  return call ? [...calls, call] : calls;
}

/** A custom tool takes free text: it is shown as an object with the one member `input`. */
function readCall(raw: string, path: Path, place: Path, called: unknown, id: string): NativeCall | undefined {
  if (!isObject(called) || typeof called.name !== 'string') return undefined;
  const isCustom = place.at(-1) === 'custom';
  const member = isCustom ? 'input' : 'arguments';
  const at = [...place, member];
  const given = called[member];
  const exact = isCustom || isObject(given) ? textAt(raw, at) : undefined;
  const text = isCustom ? `{"input":${exact ?? '""'}}` : typeof given === 'string' ? given : (exact ?? '');
  const parameters = text.trim() !== '' && areArguments(text) ? (parseJson(text) as JsonObject) : {};
  const form = isCustom && { form: 'custom' as const };
  const block: ToolUseBlock = { type: 'tool-use', id, name: called.name, parameters, rawParameters: text, ...form };
  return { path, block, ...(typeof given === 'string' && !isCustom && { args: { path: at, text } }) };
}

/**
 * Why a call cannot be sent as it is. Where the stream was cut, arguments that do not parse were never complete, nor
 * were missing ones of the last call; free text does not show whether it ended. A call without a name is refused.
 */
export function callProblem(
  { block, args, isNameless }: NativeCall,
  isLast: boolean,
  cut: boolean,
): 'cut' | 'arguments' | undefined {
  if (isNameless) return 'cut';
  const isOpen = cut && isLast;
  if (!args) return isOpen && block.type === 'tool-use' && block.form ? 'cut' : undefined;
  if (isOpen && args.text.trim() === '') return 'cut';
  return areArguments(args.text) ? undefined : cut ? 'cut' : 'arguments';
}

/** A text as a content part. */
export function textPart(json: string): string {
  return `{"type":"text","text":${json}}`;
}
