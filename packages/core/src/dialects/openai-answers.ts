import type { ProviderErrorCode } from '../error.ts';
import type { JsonObject } from '../json/index.ts';
import type { ServedError } from './serve.ts';
import { failureStatus, type ServedAnswers, type ServedFailure, type ServedModel } from './served-answers.ts';

/** Both protocols of OpenAI have one form of errors. */
export function openaiErrorBody({ status, code, message, param }: ServedError): JsonObject {
  return { error: { message, type: typeFor(status, code), param: param ?? null, code } };
}

function typeFor(status: number, code: string): string {
  if (code === 'insufficient_quota') return code;
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

const CODES: Readonly<Partial<Record<ProviderErrorCode, string>>> = {
  authentication: 'invalid_api_key',
  permission: 'permission_denied',
  quota: 'insufficient_quota',
  not_found: 'model_not_found',
  rate_limit: 'rate_limit_exceeded',
  context_length: 'context_length_exceeded',
  invalid_request: 'invalid_request_error',
};

/** What both protocols answer alike; `input` is the member of a request that holds the conversation. */
export function openaiAnswers(input: string): Pick<ServedAnswers, 'failure' | 'modelList' | 'modelBody'> {
  return {
    failure(failure) {
      const { kind, message, word, param, retryAfterMs } = failure;
      const isTooLong = kind === 'context_length';
      return {
        status: failureStatus(failure),
        // Agents do not ask again after `server_is_overloaded`.
        code: word ?? CODES[kind] ?? 'server_error',
        message: isTooLong ? tooLong(failure, input) : message,
        param: isTooLong ? input : param,
        retryAfterMs,
      };
    },
    modelList: (models) => ({ object: 'list', data: models.map(modelBody) }),
    modelBody,
  };
}

function tooLong({ tokens }: ServedFailure, input: string): string {
  if (!tokens) return 'Your input exceeds the context window of this model. Please adjust your input and try again.';
  const { given, limit } = tokens;
  return `This model's maximum context length is ${limit} tokens. However, your ${input} resulted in ${given} tokens. Please reduce the length of the ${input}.`;
}

function modelBody({ id }: ServedModel): JsonObject {
  const slash = id.indexOf('/');
  return { id, object: 'model', created: 0, owned_by: slash < 0 ? 'openai' : id.slice(0, slash) };
}
