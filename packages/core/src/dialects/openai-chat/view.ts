import { elementTexts, isObject, type JsonObject, memberOf, parseJson, skipSpace } from '../../json/index.ts';
import {
  type Citation,
  type ContentBlock,
  citationOf,
  type MessageView,
  type Need,
  type Origin,
  type Role,
} from '../../message/index.ts';
import { ProtocolError } from '../reply.ts';
import { callProblem, type NativeCall, nativeCalls } from './native-calls.ts';
import { audioOf, cacheMarkers, isEmptyMessage, refusalOf } from './native-message.ts';
import { partBlocks } from './view-parts.ts';
import { hasOpaqueReasoning, reasoningBlocks } from './view-reasoning.ts';

/** What a Chat Completions message says: thoughts, then content, refusal and calls. */
export function view(raw: string, origin: Origin): MessageView {
  const message = parseJson(raw);
  if (!isObject(message)) throw new ProtocolError('openai-chat', 'a message is an object', raw);
  const role = roleOf(message.role);
  if (role === 'tool') {
    const result = toolResult(message, contentBlocks(raw, message));
    return { role, content: [result], needs: cacheMarkers(message).length > 0 ? ['cache'] : [] };
  }
  const calls = nativeCalls(raw, message);
  const content = [
    ...reasoningBlocks(raw, message),
    ...contentBlocks(raw, message),
    ...memberParts(raw, message, 'images'),
    ...audioBlocks(message),
    ...refusalBlocks(message),
    ...calls.map((call) => call.block),
  ];
  // An empty string beside other things is no block; alone it is the empty answer.
  if (content.length === 0 && message.content === '') content.push({ type: 'text', text: '' });
  return { role, content, needs: needsOf(message, calls, origin) };
}

function roleOf(role: unknown): Role {
  switch (role) {
    case 'system':
    case 'developer':
      return 'system';
    case 'user':
    case 'assistant':
      return role;
    case 'tool':
    case 'function':
      return 'tool';
    default:
      return 'other';
  }
}

function toolResult(message: JsonObject, content: readonly ContentBlock[]): ContentBlock {
  const { tool_call_id: id, name } = message;
  const toolCallId = typeof id === 'string' && id !== '' ? id : `skn_fn_0_${typeof name === 'string' ? name : ''}`;
  return { type: 'tool-result', toolCallId, content, isError: false };
}

function contentBlocks(raw: string, message: JsonObject): ContentBlock[] {
  const { content } = message;
  const blocks: ContentBlock[] =
    typeof content === 'string' && content !== ''
      ? [{ type: 'text', text: content }]
      : memberParts(raw, message, 'content');
  const citations = citationsOf(raw, message);
  const cited = citations.length > 0 ? blocks.findIndex((block) => block.type === 'text') : -1;
  return blocks.map((block, index) => (index === cited && block.type === 'text' ? { ...block, citations } : block));
}

function memberParts(raw: string, message: JsonObject, name: string): ContentBlock[] {
  const parts = message[name];
  return Array.isArray(parts) ? partBlocks(raw, memberOf(raw, skipSpace(raw, 0), name)!.start, parts) : [];
}

/** `annotations` belong to the whole text; a URL citation has its address one level down. */
function citationsOf(raw: string, message: JsonObject): Citation[] {
  const { annotations } = message;
  if (!Array.isArray(annotations) || annotations.length === 0) return [];
  const texts = elementTexts(raw, memberOf(raw, skipSpace(raw, 0), 'annotations')!.start);
  return annotations.map((value: unknown, index) =>
    citationOf(texts[index]!, isObject(value) && isObject(value.url_citation) ? value.url_citation : value),
  );
}

/** Spoken answers: the provider holds the sound under its id, and the transcript is what was said. */
function audioBlocks(message: JsonObject): ContentBlock[] {
  const audio = audioOf(message);
  if (!audio) return [];
  const sound: ContentBlock = { type: 'media', mediaType: 'audio/*', source: { kind: 'file', id: audio.id } };
  return audio.transcript === '' ? [sound] : [sound, { type: 'text', text: audio.transcript }];
}

function refusalBlocks(message: JsonObject): ContentBlock[] {
  const text = refusalOf(message);
  return text === '' ? [] : [{ type: 'refusal', text }];
}

function needsOf(message: JsonObject, calls: readonly NativeCall[], origin: Origin): Need[] {
  const problems = calls.map((call, index) => callProblem(call, index === calls.length - 1, origin.cut === true));
  const noCalls = Array.isArray(message.tool_calls) && message.tool_calls.length === 0;
  const needs: Need[] = [];
  if (noCalls || isEmptyMessage(message, calls.length)) needs.push('empty');
  if (problems.includes('arguments')) needs.push('arguments');
  if (problems.includes('cut')) needs.push('cut');
  if (cacheMarkers(message).length > 0) needs.push('cache');
  if (hasOpaqueReasoning(message)) needs.push('bound');
  return needs;
}
