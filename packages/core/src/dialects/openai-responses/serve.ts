import { isObject } from '../../json/index.ts';
import { openaiErrorBody } from '../openai-error.ts';
import type { DialectServe } from '../serve.ts';
import { DIALECT } from './provider.ts';
import { writeReply, writeStream } from './write-reply.ts';

export const serve: DialectServe = {
  id: DIALECT,
  responseId: ({ id, response }) => (isObject(response) ? response.id : id),
  kept: {
    previous: ({ previous_response_id: response, conversation }) => ({
      response,
      conversation: isObject(conversation) ? conversation.id : conversation,
    }),
    refersTo: ({ type = 'item_reference', id }) => (type === 'item_reference' ? id : undefined),
    isPending: ({ status }) => status === 'queued' || status === 'in_progress',
  },
  errorBody: openaiErrorBody,
  writeReply,
  writeStream,
};
