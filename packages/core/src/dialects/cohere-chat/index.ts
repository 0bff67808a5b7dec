import { addDialect } from '../added.ts';
import type { Dialect } from '../dialect.ts';
import { cohere, DIALECT } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { view } from './view.ts';
import { writer } from './write-request.ts';

/**
 * Cohere's chat API, version 2. A run that names a provider of it loads it, and so does whoever imports this file.
 *
 * @example
 * const answer = await run({ model: 'cohere/command-a-03-2025', messages: [user('Hello')] }).text;
 */
export const cohereChat: Dialect = addDialect({
  id: DIALECT,
  home: cohere,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'Cohere chat',
  endpoints: [{ operation: 'ask', method: 'POST', path: /\/v2\/chat$/ }],
  members: { messages: 'messages', system: [] },
  output: {
    schema: {
      body: (schema) => ({ response_format: { type: 'json_object', json_schema: schema } }),
      closes: false,
      onlyClosed: false,
      without: ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'uniqueItems'],
    },
  },
});
