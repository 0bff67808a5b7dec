import type { DialectServe } from '../serve.ts';
import { skein } from './provider.ts';
import { errorBody, writeReply, writeStream } from './write-reply.ts';

export const serve: DialectServe = {
  id: skein.dialect,
  responseId: ({ id }) => id,
  errorBody,
  writeReply,
  writeStream,
};
