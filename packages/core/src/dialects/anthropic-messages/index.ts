import type { DialectSpec } from '../dialect.ts';
import { anthropic, DIALECT } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { view } from './view.ts';
import { writer } from './write-request.ts';

/** `POST /v1/messages` */
export const anthropicMessagesSpec: DialectSpec = {
  id: DIALECT,
  home: anthropic,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'Anthropic messages',
  // The API itself, Bedrock and Vertex.
  endpoints: [
    { operation: 'ask', method: 'POST', path: /\/v1\/messages$/ },
    {
      operation: 'ask',
      method: 'POST',
      path: /\/model\/(?<model>[^/]*(?:anthropic|claude)[^/]*)\/invoke(?:-with-response-stream)?$/,
    },
    {
      operation: 'ask',
      method: 'POST',
      path: /\/publishers\/anthropic\/models\/(?<model>[^/:]+):(?:streamR|r)awPredict$/,
    },
  ],
  members: { messages: 'messages', system: ['system'] },
  serverState: async () => (await import('./server-state.ts')).serverState,
  output: {
    schema: {
      body: (schema) => ({ output_config: { format: { type: 'json_schema', schema } } }),
      closes: true,
      onlyClosed: true,
      without: [
        ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
        ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems'],
      ],
    },
  },
};
