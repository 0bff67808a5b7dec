import { isObject } from '../../json/index.ts';
import type { DialectServe } from '../serve.ts';
import { DIALECT } from './provider.ts';

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

export const serve: DialectServe = {
  id: DIALECT,
  responseId: ({ id, message }) => (isObject(message) ? message.id : id),
  errorBody: ({ status, message }) => ({
    type: 'error',
    error: { type: TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'), message },
  }),
};
