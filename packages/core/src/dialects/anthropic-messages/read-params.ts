import { isObject, type JsonObject } from '../../json/index.ts';
import type { RequestParams } from '../request.ts';
import { readSimple, type SimpleNames } from '../simple-params.ts';

export const SIMPLE: SimpleNames = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop_sequences',
  stream: 'stream',
};

/**
 * The parameters that every dialect has a word for, and the names of the members they were read from. A member
 * that says more than its parameter can hold is not taken: it stays whole in `rest`.
 */
export function readParams(body: JsonObject): { params: RequestParams; taken: string[] } {
  const { params, taken } = readSimple(body, SIMPLE);
  const choice = readToolChoice(body.tool_choice);
  if (choice) {
    taken.push('tool_choice');
    Object.assign(params, choice);
  }
  const reasoning = readReasoning(body);
  if (reasoning) {
    taken.push(...reasoning.taken);
    params.reasoning = reasoning.value;
  }
  return { params, taken };
}

function readToolChoice(value: unknown): Pick<RequestParams, 'toolChoice' | 'parallelToolCalls'> | undefined {
  if (!isObject(value)) return undefined;
  const { type, name, disable_parallel_tool_use: single, ...more } = value;
  if (Object.keys(more).length > 0 || (single !== undefined && typeof single !== 'boolean')) return undefined;
  const parallel = single === undefined ? {} : { parallelToolCalls: !single };
  if (type === 'tool') return typeof name === 'string' ? { toolChoice: { name }, ...parallel } : undefined;
  if (name !== undefined) return undefined;
  if (type === 'any') return { toolChoice: 'required', ...parallel };
  return type === 'auto' || type === 'none' ? { toolChoice: type, ...parallel } : undefined;
}

/** A budget alone, or adaptive thinking with an effort: the two forms that `reasoning` is written as. */
function readReasoning(
  body: JsonObject,
): { value: NonNullable<RequestParams['reasoning']>; taken: readonly string[] } | undefined {
  const { thinking, output_config: output } = body;
  if (!isObject(thinking)) return undefined;
  const { type, budget_tokens: budget, ...more } = thinking;
  if (Object.keys(more).length > 0) return undefined;
  if (type === 'enabled' && typeof budget === 'number') return { value: { budget }, taken: ['thinking'] };
  if (type !== 'adaptive' || budget !== undefined || !isObject(output)) return undefined;
  const { effort, ...others } = output;
  if (typeof effort !== 'string' || Object.keys(others).length > 0) return undefined;
  return { value: { effort }, taken: ['thinking', 'output_config'] };
}
