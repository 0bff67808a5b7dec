import { openaiErrorBody } from '../openai-error.ts';
import type { DialectServe } from '../serve.ts';
import { DIALECT } from './provider.ts';
import { writeReply, writeStream } from './write-reply.ts';

export const serve: DialectServe = {
  id: DIALECT,
  responseId: ({ id }) => id,
  errorBody: openaiErrorBody,
  writeReply,
  writeStream,
};
