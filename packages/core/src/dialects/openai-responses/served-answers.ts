import { find, isObject, type JsonObject, parseJson, splice } from '../../json/index.ts';
import { openaiAnswers } from '../openai-answers.ts';
import type { Usage } from '../reply.ts';
import { type CompactionOperation, keepMembers, type ServedAnswers } from '../served-answers.ts';
import { itemType } from './items.ts';

/** What the API counts the tokens of; it refuses the members that only an answer needs. */
const COUNTED = [
  'conversation',
  'input',
  'instructions',
  'model',
  'parallel_tool_calls',
  'previous_response_id',
  'reasoning',
  'text',
  'tool_choice',
  'tools',
  'truncation',
];

/** Where the vendor has a ciphertext, a summary of ours follows these words. */
const SUMMARY = 'skein-summary:';

const compacting: CompactionOperation = {
  path: (path) => `${path}/compact`,
  // The vendor keeps the words of the user, and one item for all the rest.
  write: (summary, { input }, { id, created, usage }) => ({
    id: `resp_${id}`,
    object: 'response.compaction',
    created_at: created,
    output: [
      ...userMessages(input),
      { id: `cmp_${id}`, type: 'compaction', encrypted_content: `${SUMMARY}${summary}` },
    ],
    usage: toUsage(usage),
  }),
  expand(request) {
    const { input } = parseJson(request) as JsonObject;
    if (!Array.isArray(input)) return request;
    const edits = input.flatMap((item: unknown, index) => {
      const text = readSummary(item);
      return text === undefined ? [] : [{ ...find(request, ['input', index])!, text: JSON.stringify(toMessage(text)) }];
    });
    return edits.length === 0 ? request : splice(request, edits);
  },
};

function userMessages(input: unknown): readonly unknown[] {
  if (typeof input === 'string') return [userMessage(input)];
  if (!Array.isArray(input)) return [];
  return input.filter((item) => isObject(item) && itemType(item) === 'message' && item.role === 'user');
}

function userMessage(text: string): JsonObject {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

function toMessage(summary: string): JsonObject {
  return userMessage(`The conversation before this point was summed up as follows:\n\n${summary}`);
}

function readSummary(item: unknown): string | undefined {
  if (!isObject(item) || item.type !== 'compaction' || typeof item.encrypted_content !== 'string') return undefined;
  return item.encrypted_content.startsWith(SUMMARY) ? item.encrypted_content.slice(SUMMARY.length) : undefined;
}

/** Cached tokens are in the input, reasoning is in the output. */
export function toUsage(usage: Usage | undefined): JsonObject | null {
  if (!usage) return null;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  const written = cacheWrite5m + cacheWrite1h;
  const all = input + cacheRead + written;
  return {
    input_tokens: all,
    input_tokens_details: { cached_tokens: cacheRead, ...(written > 0 && { cache_write_tokens: written }) },
    output_tokens: output + reasoning,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: all + output + reasoning,
  };
}

export const servedAnswers: ServedAnswers = {
  ...openaiAnswers('input'),
  counting: {
    toRequest: (body) => body,
    write: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
    path: (path) => `${path}/input_tokens`,
    toBody: (request) => keepMembers(request, COUNTED),
    read: ({ input_tokens }) => input_tokens,
  },
  compacting,
};
