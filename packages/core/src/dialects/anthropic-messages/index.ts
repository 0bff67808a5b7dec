import type { DialectSpec } from '../dialect.ts';
import { anthropic, DIALECT } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { view } from './view.ts';
import { writer } from './writer.ts';

/** `POST /v1/messages` */
export const anthropicMessagesSpec: DialectSpec = {
  id: DIALECT,
  home: anthropic,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
};
