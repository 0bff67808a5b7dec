import { addDialect } from '../added.ts';
import type { Dialect } from '../dialect.ts';
import { awsEventStream } from './event-stream.ts';
import { bedrock, DIALECT } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { view } from './view.ts';
import { writer } from './write-request.ts';

/**
 * Bedrock's Converse API, by which the models of all makers are asked in one form. A run that names a provider of it loads
 * it, and so does whoever imports this file.
 *
 * @example
 * const answer = await run({ model: 'bedrock/us.amazon.nova-lite-v1:0', messages: [user('Hello')] }).text;
 */
export const bedrockConverse: Dialect = addDialect({
  id: DIALECT,
  home: bedrock,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'Bedrock Converse',
  endpoints: [{ operation: 'ask', method: 'POST', path: /\/model\/(?<model>[^/]+)\/converse(?:-stream)?$/ }],
  framing: awsEventStream,
  members: { messages: 'messages', system: ['system'] },
  output: {
    schema: {
      body: (schema) => ({
        outputConfig: {
          textFormat: {
            type: 'json_schema',
            structure: { jsonSchema: { name: 'answer', schema: JSON.stringify(schema) } },
          },
        },
      }),
      closes: true,
      onlyClosed: true,
      without: [
        ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
        ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems'],
      ],
    },
  },
});
