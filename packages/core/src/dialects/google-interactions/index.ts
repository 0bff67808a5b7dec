import { addDialect } from '../added.ts';
import type { Dialect } from '../dialect.ts';
import { DIALECT, googleInteractionsHome } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { view } from './view.ts';
import { writer } from './write-request.ts';

/**
 * Google's Interactions API of the Gemini models. A message is a list of the model's steps, or one step of a client, in its
 * exact text. A run that names a provider of it loads it, and so does whoever imports this file.
 *
 * @example
 * const answer = await run({ model: 'google-interactions/gemini-3-pro', messages: [user('Hello')] }).text;
 */
export const googleInteractions: Dialect = addDialect({
  id: DIALECT,
  home: googleInteractionsHome,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'Google Interactions',
  endpoints: [
    { operation: 'ask', method: 'POST', path: /\/interactions$/ },
    { operation: 'poll', method: 'GET', path: /\/interactions\/(?<response>[\w-]+)$/ },
    { operation: 'poll', method: 'POST', path: /\/interactions\/(?<response>[\w-]+)\/cancel$/ },
  ],
  members: { messages: 'input', system: ['system_instruction'] },
  serverState: async () => (await import('./server-state.ts')).serverState,
  output: {
    schema: {
      body: (schema) => ({ response_format: { type: 'text', mime_type: 'application/json', schema } }),
      closes: false,
      onlyClosed: false,
      without: [],
    },
    image: { body: { response_format: [{ type: 'text' }, { type: 'image' }] } },
  },
});
