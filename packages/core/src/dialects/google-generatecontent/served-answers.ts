import { type JsonObject, textAt } from '../../json/index.ts';
import { failureStatus, keepMembers, type ServedAnswers, type ServedModel } from '../served-answers.ts';

/** What the API counts the tokens of. */
const COUNTED = ['contents', 'generationConfig', 'systemInstruction', 'toolConfig', 'tools'];

/** Models of a page, unless the query says otherwise. */
const PAGE = 50;

export const servedAnswers: ServedAnswers = {
  failure(failure) {
    const { kind, message, tokens, word, retryAfterMs } = failure;
    const tooLong = tokens
      ? `The input token count (${tokens.given}) exceeds the maximum number of tokens allowed (${tokens.limit}).`
      : 'The input token count exceeds the maximum number of tokens allowed.';
    return {
      status: failureStatus(failure),
      code: word ?? kind,
      message: kind === 'context_length' ? tooLong : message,
      retryAfterMs,
    };
  },
  modelList(models, query) {
    const size = Number(query.get('pageSize') ?? PAGE) || PAGE;
    const start = Number(query.get('pageToken') ?? 0) || 0;
    const next = start + size;
    return {
      models: models.slice(start, next).map(modelBody),
      ...(next < models.length && { nextPageToken: String(next) }),
    };
  },
  modelBody,
  counting: {
    // A client counts contents alone, or a whole request.
    toRequest: (body) => textAt(body, ['generateContentRequest']) ?? body,
    write: (tokens) => ({ totalTokens: tokens }),
    path: (path) => path.replace(/:\w+$/, ':countTokens'),
    toBody: (request, model) => {
      const named = `"model":${JSON.stringify(`models/${model}`)}`;
      return `{"generateContentRequest":{${[named, keepMembers(request, COUNTED).slice(1, -1)].filter(Boolean).join(',')}}}`;
    },
    read: ({ totalTokens }) => totalTokens,
  },
};

function modelBody({ id, contextTokens, maxOutputTokens }: ServedModel): JsonObject {
  return {
    name: `models/${id}`,
    version: '001',
    displayName: id,
    ...(contextTokens !== undefined && { inputTokenLimit: contextTokens }),
    ...(maxOutputTokens !== undefined && { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  };
}
