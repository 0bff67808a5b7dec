import { isObject, membersOf, parseJson, skipSpace } from '../../json/index.ts';
import type { RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { fieldMember, fieldText, isField, listTexts, stringField } from './fields.ts';
import { google } from './provider.ts';
import { readParams } from './read-params.ts';
import { readTools } from './read-tools.ts';

/** Members that are not left to `rest`. */
const READ = ['model', 'systemInstruction', 'contents', 'tools'];

/** The model stands in the path, seldom in the body. */
export function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  const start = skipSpace(body, 0);
  const contents = isObject(value) ? fieldMember(body, start, 'contents') : undefined;
  if (!isObject(value) || !contents) throw new ProtocolError(google.dialect, 'no contents in the request', body);
  const system = fieldText(body, start, 'systemInstruction');
  const tools = fieldMember(body, start, 'tools');
  return {
    model: stringField(value, 'model'),
    system: system === undefined ? undefined : `{"role":"system","content":${system}}`,
    messages: listTexts(body, contents.start),
    tools: readTools(tools ? listTexts(body, tools.start) : []),
    ...readParams(others(body, start)),
  };
}

function others(body: string, start: number): Readonly<Record<string, string>> {
  const members = membersOf(body, start).filter(({ name }) => !READ.some((known) => isField(name, known)));
  return Object.fromEntries(members.map((member) => [member.name, body.slice(member.start, member.end)]));
}
