import type { DialectServe } from '../serve.ts';
import { skein } from './provider.ts';

export const serve: DialectServe = {
  id: skein.dialect,
  responseId: ({ id }) => id,
  errorBody: ({ code, message }) => ({ error: { code, message } }),
};
