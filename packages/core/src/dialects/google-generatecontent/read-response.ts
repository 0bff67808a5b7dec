import { addMember, Changes, isObject, type JsonObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { field, fieldText, objectField, stringField } from './fields.ts';
import { google } from './provider.ts';
import { blockedStop, stopOf } from './stop.ts';
import { usageOf } from './usage.ts';

/** The message of a reply without any content. */
export const EMPTY_REPLY = '{"role":"model","parts":[]}';

/** Members that tell a response from any other JSON object; all of them may be absent. */
const MEMBERS = ['candidates', 'promptFeedback', 'usageMetadata', 'modelVersion', 'responseId', 'createTime'];

export function isResponse(value: JsonObject): boolean {
  return MEMBERS.some((name) => field(value, name) !== undefined);
}

export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || !isResponse(value))
    throw new ProtocolError(google.dialect, 'neither candidates nor prompt feedback in the response', body);
  const candidates: unknown[] = Array.isArray(value.candidates) ? value.candidates : [];
  const changes = new Changes();
  const choices = candidates.flatMap((candidate, index) => {
    if (!isObject(candidate)) return [];
    const path = ['candidates', index, 'content'];
    const content = objectField(candidate, 'content');
    if (content) changes.set(path, 'null');
    const raw = content ? withRole(content, textAt(body, path)!) : EMPTY_REPLY;
    return [{ raw, stop: stopOf(field(candidate, 'finishReason'), hasCalls(content)) }];
  });
  if (choices.length === 0) {
    const block = field(value, 'promptFeedback', 'blockReason');
    if (block === undefined)
      throw new ProtocolError(google.dialect, 'the response has no candidates and names no block reason', body);
    choices.push({ raw: EMPTY_REPLY, stop: blockedStop(block) });
  }
  const usage = fieldText(body, value, 'usageMetadata');
  return {
    choices,
    usage: usage === undefined ? undefined : usageOf(field(value, 'usageMetadata'), usage),
    envelope: splice(body, changes.edits(body)),
    model: stringField(value, 'modelVersion'),
  };
}

function hasCalls(content: unknown): boolean {
  const parts = field(content, 'parts');
  return Array.isArray(parts) && parts.some((part) => field(part, 'functionCall') !== undefined);
}

/** Who speaks is told by the place in the response; where the content itself does not say it, it is added. */
function withRole(content: JsonObject, text: string): string {
  const isSaid = field(content, 'role') !== undefined || field(content, 'parts') === undefined;
  return isSaid ? text : splice(text, [addMember(text, 0, 'role', '"model"')]);
}
