import type { DialectServe } from '../serve.ts';
import { google } from './provider.ts';

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  504: 'DEADLINE_EXCEEDED',
};

export const serve: DialectServe = {
  id: google.dialect,
  responseId: ({ responseId }) => responseId,
  errorBody: ({ status, message }) => ({
    error: { code: status, message, status: STATUSES[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE') },
  }),
};
