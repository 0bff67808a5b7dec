import type { JsonObject } from '../../json/index.ts';
import { failureStatus, keepMembers, type ServedAnswers, type ServedModel } from '../served-answers.ts';

/** What the API counts the tokens of; it refuses the members that only an answer needs. */
const COUNTED = [
  'context_management',
  'mcp_servers',
  'messages',
  'model',
  'output_config',
  'system',
  'thinking',
  'tool_choice',
  'tools',
];

/** Models of a page, unless the query says otherwise. */
const PAGE = 20;

export const servedAnswers: ServedAnswers = {
  failure(failure) {
    const { kind, message, tokens, word, retryAfterMs } = failure;
    // Agents shorten a conversation when they read these words.
    const numbers = tokens ? `: ${tokens.given} tokens > ${tokens.limit} maximum` : '';
    return {
      status: failureStatus(failure, { overloaded: 529, quota: 402 }),
      code: word ?? kind,
      message: kind === 'context_length' ? `prompt is too long${numbers}` : message,
      retryAfterMs,
    };
  },
  modelList(models, query) {
    const limit = Number(query.get('limit') ?? PAGE) || PAGE;
    const after = models.findIndex(({ id }) => id === query.get('after_id'));
    const before = models.findIndex(({ id }) => id === query.get('before_id'));
    const start = before < 0 ? after + 1 : Math.max(0, before - limit);
    const page = models.slice(start, before < 0 ? start + limit : before);
    return {
      data: page.map(modelBody),
      has_more: before < 0 ? start + limit < models.length : start > 0,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    };
  },
  modelBody,
  counting: {
    toRequest: (body) => body,
    write: (tokens) => ({ input_tokens: tokens }),
    path: (path) => `${path}/count_tokens`,
    toBody: (request) => keepMembers(request, COUNTED),
    read: ({ input_tokens }) => input_tokens,
  },
};

function modelBody({ id, contextTokens, maxOutputTokens }: ServedModel): JsonObject {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: '1970-01-01T00:00:00Z',
    max_input_tokens: contextTokens ?? null,
    max_tokens: maxOutputTokens ?? null,
  };
}
