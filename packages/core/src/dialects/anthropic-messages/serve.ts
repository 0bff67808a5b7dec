import { isObject } from '../../json/index.ts';
import type { DialectServer } from '../serve.ts';
import { DIALECT } from './provider.ts';
import { errorBody, writeReply, writeStream } from './write-reply.ts';

export const serve: DialectServer = {
  id: DIALECT,
  responseId: ({ id, message }) => (isObject(message) ? message.id : id),
  errorBody,
  writeReply,
  writeStream,
};
