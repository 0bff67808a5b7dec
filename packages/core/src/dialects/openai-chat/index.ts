import type { DialectSpec } from '../dialect.ts';
import { DIALECT, openaiChatHome } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { view } from './view.ts';
import { writer } from './writer.ts';

/** OpenAI's Chat Completions, and what the many compatible providers made of it. */
export const openaiChatSpec: DialectSpec = {
  id: DIALECT,
  home: openaiChatHome,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
};
