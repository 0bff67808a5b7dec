import type { DialectSpec } from '../dialect.ts';
import { DIALECT, openai } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { view } from './view.ts';
import { writer } from './write-request.ts';

/** OpenAI's Responses API, and whoever speaks it. */
export const openaiResponsesSpec: DialectSpec = {
  id: DIALECT,
  home: openai,
  view: view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'OpenAI Responses',
  endpoints: [
    { operation: 'ask', method: 'POST', path: /\/responses$/ },
    { operation: 'poll', method: 'GET', path: /\/responses\/(?<response>resp[\w-]+)$/ },
    { operation: 'poll', method: 'POST', path: /\/responses\/(?<response>resp[\w-]+)\/cancel$/ },
  ],
  members: { messages: 'input', system: ['instructions'] },
  socket: async () => (await import('./socket.ts')).socket,
  serverState: async () => (await import('./server-state.ts')).serverState,
  output: {
    schema: {
      body: (schema, strict) => ({ text: { format: { type: 'json_schema', name: 'output', schema, strict } } }),
      closes: true,
      onlyClosed: false,
      without: [],
    },
    image: { tools: [{ dialect: DIALECT, native: '{"type":"image_generation"}' }] },
  },
};
