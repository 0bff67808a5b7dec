import { isObject, type JsonObject, parseJson } from '../../json/index.ts';
import type { DialectSpec, RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { readRest, readTool, type ToolDefinition } from '../request.ts';
import { fieldText, findKey, listTexts, stringField } from './parts.ts';
import { google } from './provider.ts';
import { readReply, view } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { readParams } from './rules.ts';
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

/** Reads a request body. The model is usually in the path of the request, rarely in its body. */
export function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  const contents = fieldText(body, value, 'contents');
  if (contents === undefined) throw new ProtocolError(google.dialect, 'no contents in the request', body);
  const system = fieldText(body, value, 'systemInstruction');
  const tools = fieldText(body, value, 'tools');
  const { params, taken, left } = readParams(body, value as JsonObject);
  const known = ['model', 'contents', 'tools', 'systemInstruction', 'system_instruction', ...taken];
  return {
    model: stringField(value, 'model'),
    system: system === undefined ? undefined : `{"role":"system","content":${system}}`,
    messages: listTexts(contents),
    tools: tools === undefined ? [] : listTexts(tools).flatMap(readTools),
    params,
    rest: { ...readRest(body, known), ...left },
  };
}

/** Function declarations one by one, if all of them have JSON Schema parameters; any other tool in Google's own words. */
function readTools(text: string): readonly ToolDefinition[] {
  const tool = parseJson(text);
  const list = isObject(tool) && Object.keys(tool).length === 1 && fieldText(text, tool, 'functionDeclarations');
  const declared = listTexts(list || '[]').map((declaration) => {
    const name = 'parametersJsonSchema';
    return readTool(google.dialect, declaration, [], findKey(parseJson(declaration), name) ?? name);
  });
  const isPlain = declared.length > 0 && !declared.some((one) => 'native' in one);
  return isPlain ? declared : [{ dialect: google.dialect, native: text }];
}
