import { digest, elementsOf, isObject, type JsonObject, memberOf, parseJson, skipSpace } from '../../json/index.ts';
import {
  type ContentBlock,
  citationOf,
  type MessageView,
  type Need,
  type Origin,
  type Role,
} from '../../message/index.ts';
import { ProtocolError } from '../reply.ts';
import {
  anyBlock,
  hasBadInput,
  isEmptyText,
  isIncomplete,
  isThinking,
  isToolResult,
  isVisible,
  saysNothing,
} from './flaws.ts';
import { mediaOf } from './media-view.ts';
import { DIALECT } from './provider.ts';

/** `{"role":…,"content":…}` as blocks. A user message of nothing but tool results is a tool message. */
export function view(raw: string, origin: Origin): MessageView {
  const value = parseJson(raw);
  if (!isObject(value)) throw new ProtocolError(DIALECT, 'the message is not a JSON object', raw);
  const { content } = value;
  if (!Array.isArray(content)) {
    const blocks: ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : [];
    return { role: roleOf(value.role, []), content: blocks, needs: isVisible(content) ? [] : ['empty'] };
  }
  return {
    role: roleOf(value.role, content),
    content: blocksOf(raw, memberOf(raw, skipSpace(raw, 0), 'content')!.start, content),
    needs: needsOf(content, value.role === 'user', origin.cut === true),
  };
}

function roleOf(role: unknown, content: readonly unknown[]): Role {
  if (role === 'user') return content.length > 0 && content.every(isToolResult) ? 'tool' : 'user';
  return role === 'assistant' || role === 'system' ? role : 'other';
}

function needsOf(content: readonly unknown[], isUser: boolean, cut: boolean): Need[] {
  const incomplete = content.filter((block) => isIncomplete(block, content, cut));
  const firstOther = content.findIndex((block) => !isToolResult(block));
  const needs: [Need, boolean][] = [
    ['empty', saysNothing(content) || anyBlock(content, isEmptyText)],
    ['arguments', content.some((block) => hasBadInput(block) && !incomplete.includes(block))],
    ['cut', incomplete.length > 0],
    ['cache', anyBlock(content, (block) => 'cache_control' in block)],
    ['bound', content.some((block) => isThinking(block) && !incomplete.includes(block))],
    ['mixed', isUser && firstOther >= 0 && content.findLastIndex(isToolResult) > firstOther],
  ];
  return needs.filter(([, is]) => is).map(([need]) => need);
}

function blocksOf(raw: string, start: number, values: readonly unknown[]): ContentBlock[] {
  return elementsOf(raw, start).map((range, index) => {
    const value = values[index];
    const known = isObject(value) ? blockOf(raw, range.start, value, index) : undefined;
    return known ?? { type: 'unknown', native: raw.slice(range.start, range.end) };
  });
}

function blockOf(raw: string, start: number, value: JsonObject, index: number): ContentBlock | undefined {
  switch (value.type) {
    case 'text':
      return typeof value.text === 'string' ? textBlock(raw, start, value.text, value.citations) : undefined;
    case 'thinking':
      return { type: 'reasoning', text: typeof value.thinking === 'string' ? value.thinking : '', redacted: false };
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', redacted: true };
    case 'tool_use':
      return toolUse(raw, start, value, index);
    case 'tool_result':
      return {
        type: 'tool-result',
        toolCallId: typeof value.tool_use_id === 'string' ? value.tool_use_id : `skn_fn_${index}_`,
        content: resultContent(raw, start, value.content),
        isError: value.is_error === true,
      };
    default:
      return mediaOf(value);
  }
}

function textBlock(raw: string, start: number, text: string, citations: unknown): ContentBlock {
  if (!Array.isArray(citations) || citations.length === 0) return { type: 'text', text };
  const ranges = elementsOf(raw, memberOf(raw, start, 'citations')!.start);
  return {
    type: 'text',
    text,
    citations: ranges.map((range, index) => citationOf(raw.slice(range.start, range.end), citations[index])),
  };
}

function toolUse(raw: string, start: number, value: JsonObject, index: number): ContentBlock | undefined {
  const { id, name, input } = value;
  if (typeof name !== 'string') return undefined;
  const range = memberOf(raw, start, 'input');
  return {
    type: 'tool-use',
    id: typeof id === 'string' && id !== '' ? id : `skn_${digest(raw).slice(0, 12)}_${index}`,
    name,
    parameters: isObject(input) ? input : {},
    // A string holds arguments that never became an object: what it says is what the model wrote.
    rawParameters: typeof input === 'string' ? input : range ? raw.slice(range.start, range.end) : '',
  };
}

function resultContent(raw: string, start: number, content: unknown): ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? blocksOf(raw, memberOf(raw, start, 'content')!.start, content) : [];
}
