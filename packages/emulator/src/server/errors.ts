/** Errors in each provider's format, as a body and as a stream event. */
import type { Json } from '../json.ts';
import type { Protocol } from '../protocol.ts';
import type { SseEvent } from '../render/renderer.ts';
import { exceptionEvent } from './aws.ts';

export interface ProviderError {
  readonly status: number;
  readonly message: string;
  /** OpenAI's and Anthropic's `type`, Google's `status`. */
  readonly type?: string;
  readonly code?: string | null;
  readonly param?: string | null;
  /** Further facts: Google's list, or Anthropic's object with an `error_code`. */
  readonly details?: readonly Json[] | Json;
}

const ANTHROPIC: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ['invalid_request_error', 'The request is invalid.'],
  401: ['authentication_error', 'invalid x-api-key'],
  402: ['billing_error', 'There is an issue with your billing.'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'Not Found'],
  405: ['invalid_request_error', 'Method Not Allowed'],
  409: ['conflict_error', 'Conflict'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: ['rate_limit_error', 'This request would exceed the rate limit for your organization.'],
  500: ['api_error', 'Internal server error'],
  529: ['overloaded_error', 'Overloaded'],
};

const OPENAI: Readonly<Record<number, readonly [type: string, message: string, code?: string]>> = {
  401: ['invalid_request_error', 'Incorrect API key provided.', 'invalid_api_key'],
  429: ['requests', 'Rate limit reached. Please try again later.', 'rate_limit_exceeded'],
  500: ['server_error', 'The server had an error while processing your request. Sorry about that!'],
  503: ['server_error', 'The engine is currently overloaded, please try again later.'],
};

const GOOGLE: Readonly<Record<number, readonly [status: string, message: string]>> = {
  400: ['INVALID_ARGUMENT', 'Request contains an invalid argument.'],
  401: ['UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  403: ['PERMISSION_DENIED', 'The caller does not have permission'],
  404: ['NOT_FOUND', 'Requested entity was not found.'],
  429: ['RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan.'],
  500: ['INTERNAL', 'An internal error has occurred.'],
  503: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
  504: ['DEADLINE_EXCEEDED', 'The request timed out. Please try again.'],
};

const BEDROCK: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  403: 'User is not authorized to perform: bedrock:InvokeModel on this resource.',
  404: 'The resource was not found.',
  408: 'The model timed out while it processed the request.',
  424: 'The model returned an error.',
  429: 'Too many requests, please wait before trying again.',
  503: 'Bedrock is unable to process your request.',
};

const COHERE: Readonly<Record<number, string>> = {
  400: 'invalid request',
  401: 'invalid api token',
  404: 'not found',
  429: 'You are past the per minute request limit, please wait and try again later.',
  500: 'internal server error, this has been reported to our developers.',
};

/** Codes of Interactions are words; only that of 400 has been seen. */
const INTERACTIONS: Readonly<Record<number, string>> = {
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  429: 'too_many_requests',
  503: 'service_unavailable',
  504: 'deadline_exceeded',
};

/** The usual type and message of a status. */
export function defaultError(protocol: Protocol, status: number): ProviderError {
  if (protocol === 'anthropic-messages') {
    const [type, message] =
      ANTHROPIC[status] ?? (status < 500 ? ['invalid_request_error', 'Error'] : ['api_error', 'Error']);
    return { status, type, message };
  }
  if (protocol === 'google-generatecontent') {
    const [type, message] = GOOGLE[status] ?? (status < 500 ? ['INVALID_ARGUMENT', 'Error'] : ['INTERNAL', 'Error']);
    return { status, type, message };
  }
  if (protocol === 'bedrock-converse' || protocol === 'cohere-chat') {
    const messages = protocol === 'cohere-chat' ? COHERE : BEDROCK;
    return { status, message: messages[status] ?? 'The server had an error while it processed the request.' };
  }
  if (protocol === 'google-interactions') {
    const [, message] = GOOGLE[status] ?? ['', 'Error'];
    return { status, message, code: INTERACTIONS[status] ?? (status < 500 ? 'invalid_request' : 'api_error') };
  }
  const [type, message, code] = OPENAI[status] ?? [status < 500 ? 'invalid_request_error' : 'server_error', 'Error'];
  return { status, type, message, code: code ?? null };
}

export function errorBody(protocol: Protocol, error: ProviderError, requestId: string): Json {
  const { status, message, type, code = null, param = null, details } = error;
  const otherwise = defaultError(protocol, status).type;
  switch (protocol) {
    case 'anthropic-messages': {
      const facts = details ?? (code === null ? undefined : { error_code: code });
      return {
        type: 'error',
        error: { type: type ?? otherwise, message, ...(facts && { details: facts }) },
        request_id: requestId,
      };
    }
    case 'google-generatecontent':
      return { error: { code: status, message, status: type ?? otherwise, ...(details && { details }) } };
    case 'bedrock-converse':
    case 'cohere-chat':
      return { message };
    case 'google-interactions':
      return { error: { message, code: code ?? defaultError(protocol, status).code } };
    default:
      return { error: { message, type: type ?? otherwise, param, code } };
  }
}

/** `before` is the number of events already sent, which Responses events carry as their sequence number. */
export function errorEvent(protocol: Protocol, error: ProviderError, requestId: string, before: number): SseEvent {
  const body = errorBody(protocol, error, requestId);
  if (protocol === 'anthropic-messages') return { event: 'error', data: JSON.stringify(body) };
  if (protocol === 'bedrock-converse') return exceptionEvent(error.status, error.message);
  if (protocol === 'google-interactions')
    return { event: 'error', data: JSON.stringify({ ...body, event_type: 'error' }) };
  if (protocol !== 'openai-responses') return { data: JSON.stringify(body) };
  const { message, code = null, type } = error;
  const data = { type: 'error', sequence_number: before, code: code ?? type ?? null, message, param: null };
  return { event: 'error', data: JSON.stringify(data) };
}
