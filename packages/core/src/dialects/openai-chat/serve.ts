import { openaiErrorBody } from '../openai-error.ts';
import type { DialectServer } from '../serve.ts';
import { DIALECT } from './provider.ts';
import { writeReply, writeStream } from './write-reply.ts';

export const serve: DialectServer = {
  id: DIALECT,
  responseId: ({ id }) => id,
  errorBody: openaiErrorBody,
  writeReply,
  writeStream,
};
