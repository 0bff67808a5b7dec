import type { DialectSpec } from '../dialect.ts';
import { DIALECT, openai } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { viewOf } from './view.ts';
import { writer } from './writer.ts';

/** OpenAI's Responses API, and whoever speaks it. */
export const openaiResponsesSpec: DialectSpec = {
  id: DIALECT,
  home: openai,
  view: viewOf,
  readReply,
  assemble,
  readRequest,
  writer,
};
