import type { DialectSpec } from '../dialect.ts';
import { google } from './provider.ts';
import { readRequest } from './read-request.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { view } from './view.ts';
import { writer } from './write-request.ts';

/** Google's generateContent. A message is one content, `{"role":…,"parts":[…]}`, in its exact text. */
export const googleGenerateContentSpec: DialectSpec = {
  id: google.dialect,
  home: google,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'Google generateContent',
  endpoints: [
    { operation: 'ask', method: 'POST', path: /\/(?<model>[^/:]+):(?:generateContent|streamGenerateContent)$/ },
  ],
  members: { messages: 'contents', system: ['systemInstruction', 'system_instruction'] },
  output: {
    schema: {
      body: (schema) => ({ generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } }),
      closes: false,
      onlyClosed: false,
      without: [],
    },
    image: { body: { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } } },
  },
};
