import type { JsonObject } from '../json/index.ts';
import type { ServedError } from './serve.ts';

/** Both protocols of OpenAI have one form of errors. */
export function openaiErrorBody({ status, code, message }: ServedError): JsonObject {
  return { error: { message, type: typeFor(status), param: null, code } };
}

function typeFor(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'api_error';
}
