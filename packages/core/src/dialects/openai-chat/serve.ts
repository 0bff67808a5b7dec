import { openaiErrorBody } from '../openai-error.ts';
import type { DialectServe } from '../serve.ts';
import { DIALECT } from './provider.ts';

export const serve: DialectServe = {
  id: DIALECT,
  responseId: ({ id }) => id,
  errorBody: openaiErrorBody,
};
