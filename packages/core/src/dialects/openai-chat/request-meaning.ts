import { isObject, isText, type JsonObject, parseJson } from '../../json/index.ts';
import { type ModelTarget, readQuirk } from '../provider.ts';
import {
  type MemberValue,
  otherMembers,
  type RequestMeaning,
  standInCustom,
  standInFunction,
} from '../request-meaning.ts';
import { openaiChatHome } from './provider.ts';

/** Models that reason and take no sampling parameters and no stop sequences. */
const REASONING = /^(?:o\d|gpt-5(?:-mini|-nano)?(?:-\d{4}-.*)?$)/;

/** Compatible providers refuse members that only OpenAI has. */
const isOpenai = ({ provider }: ModelTarget): boolean => provider.issuer === openaiChatHome.issuer;

/** The members of a chat completion's request. */
export const meaning: RequestMeaning = {
  params: {
    maxTokens: 'max_completion_tokens',
    topP: 'top_p',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'parallel_tool_calls',
    reasoning: 'reasoning_effort',
  },
  members: {
    audio: { otherwise: 'refused' },
    frequency_penalty: { setting: 'frequency-penalty', otherwise: 'reported', idle: [0] },
    function_call: { otherwise: 'refused' },
    functions: { otherwise: 'refused', idle: [[]] },
    logit_bias: { otherwise: 'reported', idle: [{}] },
    logprobs: { otherwise: 'refused', idle: [false] },
    // Read as the limit, unless the newer name stands beside it.
    max_tokens: { otherwise: 'served' },
    metadata: { setting: 'labels', isTaken: isOpenai, otherwise: 'reported', idle: [{}] },
    modalities: { read: readModalities, otherwise: 'refused' },
    moderation: { otherwise: 'reported' },
    n: { read: readCopies, otherwise: 'refused' },
    prediction: { otherwise: 'reported' },
    presence_penalty: { setting: 'presence-penalty', otherwise: 'reported', idle: [0] },
    prompt_cache_key: { setting: 'cache-key', isTaken: isOpenai, otherwise: 'reported', maxLength: 64 },
    prompt_cache_options: { otherwise: 'reported' },
    prompt_cache_retention: { setting: 'cache-retention', isTaken: isOpenai, otherwise: 'reported' },
    reasoning_effort: { read: readEffort, otherwise: 'reported' },
    response_format: { read: readFormat, otherwise: 'refused' },
    safety_identifier: { setting: 'user', isTaken: isOpenai, otherwise: 'reported', maxLength: 64 },
    seed: { otherwise: 'reported' },
    service_tier: {
      setting: 'service-tier',
      isTaken: isOpenai,
      words: [
        ['default', 'standard'],
        ['flex', 'flex'],
        ['priority', 'priority'],
      ],
      otherwise: 'reported',
      idle: ['auto'],
    },
    stop: { read: readStop, otherwise: 'reported' },
    store: { otherwise: 'served' },
    stream_options: { otherwise: 'served' },
    tool_choice: { read: readChoice, otherwise: 'refused' },
    top_logprobs: { otherwise: 'refused', idle: [0] },
    user: { setting: 'user', isTaken: isOpenai, otherwise: 'reported', maxLength: 64 },
    verbosity: { setting: 'verbosity', isTaken: isOpenai, otherwise: 'reported', idle: ['medium'] },
    web_search_options: { read: () => ({ serverTool: 'web-search' }), otherwise: 'reported' },
  },
  reasoning: (target) => ({
    efforts: readQuirk(target, 'effort', true) ? ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] : [],
    takesBudget: false,
  }),
  refusedParams: ({ model }) => (REASONING.test(model) ? ['temperature', 'topP'] : []),
  stops: ({ model }) => ({ most: REASONING.test(model) ? 0 : 4 }),
  jsonObject: { response_format: { type: 'json_object' } },
  readClientTool(tool) {
    const { type, function: called, custom } = tool;
    if (type === 'custom' && isObject(custom) && isText(custom.name))
      return [standInCustom(custom.name, custom.description, custom.format)];
    if (type !== 'function' || !isObject(called)) return undefined;
    const { name, description, parameters, strict } = called;
    const lost = otherMembers(called, 'name', 'description', 'parameters', 'strict');
    return standInFunction({ name, description, parameters, strict }, [
      ...lost,
      ...otherMembers(tool, 'type', 'function'),
    ]);
  },
  writeStrictTool: ({ name, description, parameters }) => ({
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters: readSchema(parameters),
      strict: true,
    },
  }),
  // A member of the body asks for it, not a tool.
  writeServerTool: () => undefined,
};

/** Sound has no form in a translated reply. */
function readModalities(value: unknown): MemberValue | undefined {
  const known = ['text', 'image'] as const;
  if (!Array.isArray(value)) return undefined;
  const modalities = known.filter((one) => value.includes(one));
  if (modalities.length !== value.length) return undefined;
  return modalities.length === 1 && modalities[0] === 'text' ? {} : { params: { modalities } };
}

/** The schema of a tool as a value. */
export function readSchema(parameters: JsonObject | string): unknown {
  return typeof parameters === 'string' ? parseJson(parameters) : parameters;
}

/** The API gives at most 128 choices. */
const MOST_CHOICES = 128;

function readCopies(value: unknown): MemberValue | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MOST_CHOICES;
  return isCount ? { copies: value } : undefined;
}

export function readEffort(effort: unknown): MemberValue | undefined {
  return isText(effort) ? { params: { reasoning: { effort } } } : undefined;
}

/** One sequence may be a plain text. */
function readStop(value: unknown): MemberValue | undefined {
  if (typeof value === 'string') return { params: { stop: [value] } };
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? { params: { stop: value } }
    : undefined;
}

function readFormat(value: unknown): MemberValue | undefined {
  if (!isObject(value)) return undefined;
  const { type, json_schema: given } = value;
  return readOutput(type, isObject(given) ? given : {});
}

/** A wish for JSON, as both APIs of OpenAI have it. */
export function readOutput(type: unknown, { schema, strict }: JsonObject): MemberValue | undefined {
  if (type === 'text') return {};
  if (type === 'json_object') return { output: {} };
  return type === 'json_schema' && isObject(schema) ? { output: { schema, isStrict: strict === true } } : undefined;
}

function readChoice(value: unknown): MemberValue | undefined {
  if (!isObject(value)) return readChoiceWord(value);
  const { type, function: called, custom } = value;
  const inner = type === 'function' ? called : type === 'custom' ? custom : undefined;
  return isObject(inner) && isText(inner.name) ? { params: { toolChoice: { name: inner.name } } } : undefined;
}

export function readChoiceWord(value: unknown): MemberValue | undefined {
  const choice = (['auto', 'none', 'required'] as const).find((one) => one === value);
  return choice && { params: { toolChoice: choice } };
}
