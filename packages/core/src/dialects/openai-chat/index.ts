import type { DialectSpec } from '../dialect.ts';
import { DIALECT, openaiChatHome } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { view } from './view.ts';
import { writer } from './write-request.ts';

/** OpenAI's Chat Completions, and what the many compatible providers made of it. */
export const openaiChatSpec: DialectSpec = {
  id: DIALECT,
  home: openaiChatHome,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'OpenAI chat completions',
  endpoints: [{ operation: 'ask', method: 'POST', path: /\/chat\/completions$/ }],
  members: { messages: 'messages', system: [] },
  output: {
    schema: {
      body: (schema, strict) => ({
        response_format: { type: 'json_schema', json_schema: { name: 'output', schema, strict } },
      }),
      closes: true,
      onlyClosed: false,
      without: [],
    },
    image: { body: { modalities: ['image', 'text'] } },
  },
};
