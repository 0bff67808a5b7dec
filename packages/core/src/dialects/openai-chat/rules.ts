import { isObject, isText, type JsonObject, mapElements, type Path, parseJson, textAt } from '../../json/index.ts';
import type { ContentBlock, Role, ToolUseBlock, UnknownBlock } from '../../message/index.ts';
import { dropped, type LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import { type ParamNames, type RequestParams, toTargetChoice, writeSimpleParams } from '../request.ts';
import { viewId } from '../write/drafts.ts';
import type { BodyMember } from '../write/frame.ts';
import { areArguments } from '../write/translate.ts';
import type { Target } from '../write/writer.ts';
import { openaiChatHome } from './provider.ts';

/** The value of a quirk for a target; descriptors without it inherit the home provider's. */
export function quirk(name: string, { provider, model }: Target): string | boolean {
  return forModel(provider.policies.quirks[name] ?? openaiChatHome.policies.quirks[name]!, model);
}

/** The message of a reply without any message. */
export const EMPTY_MESSAGE = '{"role":"assistant","content":""}';

/** Whether a message has nothing to send (`content-null`, `content-empty`). Reasoning alone is not an answer. */
export function saysNothing(role: Role, blocks: readonly ContentBlock[]): boolean {
  if (role !== 'assistant') return blocks.length === 0;
  return blocks.every((block) => block.type === 'reasoning' || (block.type === 'text' && block.text === ''));
}

/** One call of an assistant message, with its path. */
interface NativeCall {
  readonly path: Path;
  readonly block: ToolUseBlock | UnknownBlock;
  /** The arguments of a function call, with their path, if they are a string, as they should be. */
  readonly args?: { readonly path: Path; readonly text: string };
  /** Whether a function call has no name, because its beginning was lost in the stream. */
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

/** Reads a call. A custom tool takes free text, which is shown as an object with the single member `input`. */
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
 * Why a call cannot be sent as it is. If the stream was cut, arguments that do not parse are incomplete, and so are
 * missing ones of the last call; free text of the last call may be incomplete, too. A call without a name is refused.
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

/**
 * Parameters that are one plain member. The older name of the token limit is `max_tokens`; many compatible providers
 * know only that. The tool choice and reasoning are not plain: when a request is read, they stay in `rest`.
 */
export const PARAM_NAMES = {
  maxTokens: 'max_completion_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop',
  seed: 'seed',
  stream: 'stream',
  parallelToolCalls: 'parallel_tool_calls',
} satisfies ParamNames;

/** The members for the parameters. A tool choice is sent only together with tools (`tool-choice-no-tools`, `parallel-no-tools`). */
export function writeParams(
  params: RequestParams,
  hasTools: boolean,
  target: Target,
  losses: LossNote[],
): BodyMember[] {
  const { reasoning, stream, modalities } = params;
  const { parallelToolCalls, ...others } = PARAM_NAMES;
  const names = {
    ...others,
    ...(hasTools && { parallelToolCalls }),
    maxTokens: String(quirk('maxTokensField', target)),
  };
  const members = writeSimpleParams(params, names, losses);
  if (reasoning?.budget !== undefined) losses.push(dropped('params.reasoning.budget', 'parameter'));
  const choice = toTargetChoice(params, target, losses, hasTools);
  const named = typeof choice === 'object' ? { type: 'function', function: choice } : choice;
  return [
    ...members,
    ['stream_options', stream && quirk('streamUsage', target) ? '{"include_usage":true}' : undefined],
    ['modalities', JSON.stringify(modalities)],
    ['reasoning_effort', JSON.stringify(reasoning?.effort)],
    ['tool_choice', JSON.stringify(named)],
  ];
}
