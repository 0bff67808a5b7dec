import {
  addMember,
  type Edit,
  elementsOf,
  isObject,
  type JsonObject,
  parseJson,
  skipSpace,
  splice,
} from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { field, fieldMember, fieldText, objectField, stringField } from './fields.ts';
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
  const start = skipSpace(body, 0);
  const edits: Edit[] = [];
  const choices = candidatesOf(body, start, value).map(({ candidate, at }) => {
    const content = fieldMember(body, at, 'content');
    if (content) edits.push({ start: content.start, end: content.end, text: 'null' });
    const raw = content ? withRole(body.slice(content.start, content.end)) : EMPTY_REPLY;
    return { raw, stop: stopOf(field(candidate, 'finishReason'), hasCalls(field(candidate, 'content'))) };
  });
  const stop = blockedStop(objectField(value, 'promptFeedback') && blockReason(value));
  const usage = objectField(value, 'usageMetadata');
  return {
    choices: choices.length > 0 ? choices : [{ raw: EMPTY_REPLY, stop }],
    usage: usage && usageOf(usage, fieldText(body, start, 'usageMetadata')!),
    envelope: splice(body, edits),
    model: stringField(value, 'modelVersion'),
  };
}

export function blockReason(value: JsonObject): unknown {
  const feedback = objectField(value, 'promptFeedback');
  return feedback && field(feedback, 'blockReason');
}

function candidatesOf(body: string, start: number, value: JsonObject): { candidate: JsonObject; at: number }[] {
  const { candidates } = value;
  if (!Array.isArray(candidates)) return [];
  return elementsOf(body, fieldMember(body, start, 'candidates')!.start).flatMap((range, index) => {
    const candidate: unknown = candidates[index];
    return isObject(candidate) ? [{ candidate, at: range.start }] : [];
  });
}

function hasCalls(content: unknown): boolean {
  const parts = isObject(content) ? field(content, 'parts') : undefined;
  return (
    Array.isArray(parts) && parts.some((part) => isObject(part) && objectField(part, 'functionCall') !== undefined)
  );
}

/** Who speaks is told by the place in the response; where the content itself does not say it, it is added. */
function withRole(content: string): string {
  const value = JSON.parse(content) as unknown;
  if (!isObject(value)) return EMPTY_REPLY;
  const isSaid = field(value, 'role') !== undefined || field(value, 'parts') === undefined;
  return isSaid ? content : splice(content, [addMember(content, 0, 'role', '"model"')]);
}
