import { elementTexts, isObject, parseJson, textAt } from '../../json/index.ts';
import type { RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { readRest, readSimpleParams, readTool } from '../request.ts';
import { CHOICES, PARAM_NAMES } from './params.ts';
import { DIALECT } from './provider.ts';

/** Reads a request body. Every top-level member goes to exactly one place of the result. */
export function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.messages))
    throw new ProtocolError(DIALECT, 'the request has no list of "messages"', body);
  const { params, taken } = readSimpleParams(value, PARAM_NAMES);
  const choice = CHOICES.find(([, native]) => native === value.tool_choice)?.[0];
  return {
    model: value.model,
    system: undefined,
    messages: elementTexts(textAt(body, ['messages'])!),
    tools: Array.isArray(value.tools)
      ? elementTexts(textAt(body, ['tools'])!).map((text) => readTool(DIALECT, text, ['function'], 'parameters'))
      : [],
    params: choice ? { ...params, toolChoice: choice } : params,
    rest: readRest(body, ['messages', 'model', 'tools', ...(choice ? ['tool_choice'] : []), ...taken]),
  };
}
