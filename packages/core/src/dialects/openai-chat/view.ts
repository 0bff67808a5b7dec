import { isObject, type JsonObject, parseJson } from '../../json/index.ts';
import {
  type ContentBlock,
  citationOf,
  type MessageView,
  type Need,
  type Origin,
  type Role,
} from '../../message/index.ts';
import { ProtocolError } from '../reply.ts';
import { callProblem, type NativeCall, nativeCalls } from './native-calls.ts';
import { audioOf, elementsIn, isEmptyMessage, isText } from './native-message.ts';
import { DIALECT } from './provider.ts';
import { partBlock } from './view-parts.ts';
import { hasOpaqueReasoning, reasoningBlocks } from './view-reasoning.ts';

const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

/** What a Chat Completions message says: thoughts, then content, refusal and calls. */
export function view(raw: string, origin: Origin): MessageView {
  const message = parseJson(raw);
  if (!isObject(message)) throw new ProtocolError(DIALECT, 'a message is an object', raw);
  const role = ROLES.get(message.role) ?? 'other';
  const said = contentBlocks(raw, message);
  if (role === 'tool') {
    const { tool_call_id: id, name } = message;
    const toolCallId = isText(id) ? id : `skn_fn_0_${isText(name) ? name : ''}`;
    const result: ContentBlock = { type: 'tool-result', toolCallId, content: said, isError: false };
    return { role, content: [result], needs: hasMarkers(message) ? ['cache'] : [] };
  }
  const calls = nativeCalls(raw, message);
  const content: ContentBlock[] = [
    ...reasoningBlocks(raw, message),
    ...said,
    ...elementsIn(raw, message, 'images', readPart),
    ...audioBlocks(message),
    ...(isText(message.refusal) ? [{ type: 'refusal', text: message.refusal } as const] : []),
    ...calls.map((call) => call.block),
  ];
  // An empty string beside other things is no block; alone it is the empty answer.
  if (content.length === 0 && message.content === '') content.push({ type: 'text', text: '' });
  return { role, content, needs: needsOf(message, calls, origin.cut === true) };
}

function readPart(value: unknown, native: string): ContentBlock {
  return partBlock(value) ?? { type: 'unknown', native };
}

/** `annotations` belong to the whole text; a URL citation has its address one level down. */
function contentBlocks(raw: string, message: JsonObject): ContentBlock[] {
  const { content } = message;
  const blocks = isText(content) ? [readPart(content, '')] : elementsIn(raw, message, 'content', readPart);
  const citations = elementsIn(raw, message, 'annotations', (value, text) =>
    citationOf(text, isObject(value) && isObject(value.url_citation) ? value.url_citation : value),
  );
  const cited = citations.length > 0 ? blocks.find((block) => block.type === 'text') : undefined;
  return blocks.map((block) => (block === cited ? { ...cited, citations } : block));
}

/** Spoken answers: the sound its provider holds, and the transcript, which is what was said. */
function audioBlocks(message: JsonObject): ContentBlock[] {
  const audio = audioOf(message);
  if (!audio) return [];
  const sound: ContentBlock = { type: 'media', mediaType: 'audio/*', source: { kind: 'file', id: audio.id } };
  return isText(audio.transcript) ? [sound, { type: 'text', text: audio.transcript }] : [sound];
}

function needsOf(message: JsonObject, calls: readonly NativeCall[], cut: boolean): Need[] {
  const problems = calls.map((call, index) => callProblem(call, index === calls.length - 1, cut));
  const hasNoCalls = Array.isArray(message.tool_calls) && message.tool_calls.length === 0;
  const needs: Need[] = [];
  if (hasNoCalls || isEmptyMessage(message, calls.length)) needs.push('empty');
  if (problems.includes('arguments')) needs.push('arguments');
  if (problems.includes('cut')) needs.push('cut');
  if (hasMarkers(message)) needs.push('cache');
  if (hasOpaqueReasoning(message)) needs.push('bound');
  return needs;
}

/** Whether a client of OpenRouter and the like placed cache markers. */
function hasMarkers(message: JsonObject): boolean {
  const parts: unknown[] = Array.isArray(message.content) ? message.content : [];
  return [message, ...parts].some((part) => isObject(part) && 'cache_control' in part);
}
