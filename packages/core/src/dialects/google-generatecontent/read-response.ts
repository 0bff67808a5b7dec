import { addMember, Changes, isObject, type JsonObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { field, fieldText, objectField, stringField } from './parts.ts';
import { google } from './provider.ts';

/** The message of a reply without any content. */
export const EMPTY_REPLY = '{"role":"model","parts":[]}';

/** Members that distinguish a response from any other JSON object; each of them may be absent. */
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
    return [{ raw, stop: readStop(field(candidate, 'finishReason'), hasCalls(content)) }];
  });
  if (choices.length === 0) {
    const block = field(value, 'promptFeedback', 'blockReason');
    if (block === undefined)
      throw new ProtocolError(google.dialect, 'the response has no candidates and names no block reason', body);
    choices.push({ raw: EMPTY_REPLY, stop: readBlockedStop(block) });
  }
  const usage = fieldText(body, value, 'usageMetadata');
  return {
    choices,
    usage: usage === undefined ? undefined : readUsage(field(value, 'usageMetadata'), usage),
    envelope: splice(body, changes.edits(body)),
    model: stringField(value, 'modelVersion'),
  };
}

function hasCalls(content: unknown): boolean {
  const parts = field(content, 'parts');
  return Array.isArray(parts) && parts.some((part) => field(part, 'functionCall') !== undefined);
}

/** Adds the role to a content that has none: in a response, it is the model's. */
function withRole(content: JsonObject, text: string): string {
  const isSaid = field(content, 'role') !== undefined || field(content, 'parts') === undefined;
  return isSaid ? text : splice(text, [addMember(text, 0, 'role', '"model"')]);
}

/** The prompt includes cached tokens; tokens of server-side tools come on top; the output does not include thoughts. */
export function readUsage(value: unknown, native: string): Usage {
  const tokens = (name: string): number => count(field(value, `${name}TokenCount`));
  const cacheRead = tokens('cachedContent');
  return {
    input: Math.max(0, tokens('prompt') - cacheRead) + tokens('toolUsePrompt'),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: tokens('candidates'),
    reasoning: tokens('thoughts'),
    native,
  };
}

/** Google adds words over time: those that are not listed are `unknown`. */
const REASONS: readonly (readonly [RegExp, StopReason])[] = [
  [/^STOP$/, 'end'],
  [/^MAX_TOKENS$/, 'length'],
  [/^CONTINUATION$/, 'pause'],
  [/SAFETY|RECITATION|PROHIBITED|LANGUAGE|BLOCKLIST|SPII|MODEL_ARMOR/, 'filter'],
  [/^(MALFORMED|MISSING|UNEXPECTED|TOO_MANY|NO_IMAGE|IMAGE_OTHER)/, 'error'],
];

/** Reads a stop reason. Google also says STOP when the model calls tools. */
export function readStop(native: unknown, hasCalls: boolean): Stop {
  if (typeof native !== 'string') return { reason: 'unknown', native: undefined };
  const reason = REASONS.find(([words]) => words.test(native))?.[1] ?? 'unknown';
  return { reason: reason === 'end' && hasCalls ? 'tool-use' : reason, native };
}

/** The stop of a prompt that was blocked. */
export function readBlockedStop(native: unknown): Stop {
  return typeof native === 'string' ? { reason: 'filter', native } : readStop(native, false);
}
