import { isObject, isText } from '../../json/index.ts';
import { readChoiceWord, readEffort, readOutput, readSchema } from '../openai-chat/request-meaning.ts';
import { readQuirk } from '../provider.ts';
import type { MemberValue, RequestMeaning } from '../request-meaning.ts';
import { readClientBlock, readClientTool } from './client-tools.ts';

/** Models that reason and take no sampling parameters. */
const REASONING = /^(?:o\d|gpt-5(?:-mini|-nano)?(?:-\d{4}-.*)?$)/;

/** What only a stored response, an account or a tool of OpenAI can give. */
const LOGPROBS = 'message.output_text.logprobs';

/** The members of a request of the Responses API. */
export const meaning: RequestMeaning = {
  params: {
    maxTokens: 'max_output_tokens',
    topP: 'top_p',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'parallel_tool_calls',
  },
  members: {
    access_programs: { otherwise: 'reported' },
    background: { otherwise: 'refused', idle: [false] },
    client_metadata: { otherwise: 'served' },
    context_management: { otherwise: 'reported', idle: [[]] },
    conversation: { otherwise: 'served' },
    generate: { otherwise: 'served' },
    include: { read: readInclude, otherwise: 'refused' },
    max_tool_calls: { otherwise: 'reported' },
    metadata: { setting: 'labels', otherwise: 'reported', idle: [{}] },
    moderation: { otherwise: 'reported' },
    previous_response_id: { otherwise: 'served' },
    prompt: { otherwise: 'refused' },
    prompt_cache_key: { setting: 'cache-key', otherwise: 'reported', maxLength: 64 },
    prompt_cache_options: { otherwise: 'reported' },
    prompt_cache_retention: { setting: 'cache-retention', otherwise: 'reported' },
    'reasoning.context': { otherwise: 'reported', idle: ['auto'] },
    'reasoning.effort': { read: readEffort, otherwise: 'reported' },
    'reasoning.generate_summary': { otherwise: 'reported' },
    'reasoning.mode': { otherwise: 'reported', idle: ['standard'] },
    'reasoning.summary': {
      setting: 'thoughts',
      words: [
        ['auto', 'shown'],
        ['concise', 'shown'],
        ['detailed', 'shown'],
      ],
      needsReasoning: true,
      otherwise: 'reported',
    },
    safety_identifier: { setting: 'user', otherwise: 'reported', maxLength: 64 },
    service_tier: {
      setting: 'service-tier',
      words: [
        ['default', 'standard'],
        ['flex', 'flex'],
        ['priority', 'priority'],
      ],
      otherwise: 'reported',
      idle: ['auto'],
    },
    store: { otherwise: 'served' },
    stream_id: { otherwise: 'served' },
    stream_options: { otherwise: 'served' },
    'text.format': { read: readFormat, otherwise: 'refused' },
    'text.verbosity': { setting: 'verbosity', otherwise: 'reported', idle: ['medium'] },
    tool_choice: { read: readChoice, otherwise: 'refused' },
    top_logprobs: { otherwise: 'refused', idle: [0] },
    truncation: { otherwise: 'reported', idle: ['disabled'] },
    type: { otherwise: 'served' },
    user: { setting: 'user', otherwise: 'reported', maxLength: 64 },
  },
  reasoning: (target) => ({
    efforts:
      readQuirk(target, 'encryptedReasoning', true) === true
        ? ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
        : [],
    takesBudget: false,
  }),
  refusedParams: ({ model }) => (REASONING.test(model) ? ['temperature', 'topP'] : []),
  jsonObject: { text: { format: { type: 'json_object' } } },
  readClientTool,
  readClientBlock,
  writeStrictTool: ({ name, description, parameters }) => ({
    ...{ type: 'function', name, ...(description !== undefined && { description }) },
    ...{ parameters: readSchema(parameters), strict: true },
  }),
  readServerTool({ type }) {
    if (typeof type !== 'string') return undefined;
    if (/^web_search/.test(type)) return 'web-search';
    return type === 'code_interpreter'
      ? 'code-execution'
      : type === 'image_generation'
        ? 'image-generation'
        : undefined;
  },
  writeServerTool(kind) {
    if (kind === 'web-search') return { type: 'web_search' };
    if (kind === 'code-execution') return { type: 'code_interpreter', container: { type: 'auto' } };
    return kind === 'image-generation' ? { type: 'image_generation' } : undefined;
  },
};

/** Ciphertext is given anyway; logarithms of probabilities are in no translated reply. */
function readInclude(value: unknown): MemberValue | undefined {
  if (!Array.isArray(value) || value.includes(LOGPROBS)) return undefined;
  const lost = value.filter((one) => one !== 'reasoning.encrypted_content').map(String);
  return lost.length > 0 ? { lost } : {};
}

function readFormat(value: unknown): MemberValue | undefined {
  return isObject(value) ? readOutput(value.type, value) : undefined;
}

/** A tool by its name, or by its type where a request has only one of it. */
function readChoice(value: unknown): MemberValue | undefined {
  if (!isObject(value)) return readChoiceWord(value);
  const { type, name, mode, tools } = value;
  if (type === 'allowed_tools' && Array.isArray(tools)) {
    const [only] = tools;
    if (mode !== 'required') return { params: { toolChoice: 'auto' }, lost: ['tools'] };
    return tools.length === 1 && isObject(only) && isText(only.name)
      ? { params: { toolChoice: { name: only.name } } }
      : undefined;
  }
  if (type === 'function' || type === 'custom') return isText(name) ? { params: { toolChoice: { name } } } : undefined;
  const named = type === 'shell' || type === 'apply_patch' || type === 'local_shell';
  return named ? { params: { toolChoice: { name: type } } } : undefined;
}
