import type { DialectServe } from '../serve.ts';
import { google } from './provider.ts';
import { errorBody, writeReply, writeStream } from './write-reply.ts';

export const serve: DialectServe = {
  id: google.dialect,
  responseId: ({ responseId }) => responseId,
  errorBody,
  writeReply,
  writeStream,
};
