import { isObject } from '../../json/index.ts';
import type { DialectServe } from '../serve.ts';
import { DIALECT } from './provider.ts';
import { errorBody, writeReply, writeStream } from './write-reply.ts';

export const serve: DialectServe = {
  id: DIALECT,
  responseId: ({ id, message }) => (isObject(message) ? message.id : id),
  errorBody,
  writeReply,
  writeStream,
};
