import { type ContentBlock, isObject, type JsonObject, textAt } from '@skein/core';
import { type Exact, textIn } from '../source/exact.ts';

/** What a message's content shows; `isWhole` when the blocks say all of it. */
export interface ChatgptContent {
  readonly blocks: readonly ContentBlock[];
  readonly isWhole: boolean;
}

const text = (said: string): ContentBlock => ({ type: 'text', text: said });
const reasoning = (thought: string): ContentBlock => ({ type: 'reasoning', text: thought, redacted: false });

/** The content of a message by its type. A type that is not known here is one unknown block with its exact text. */
export function chatgptContent(content: Exact): ChatgptContent {
  const { value } = content;
  const type = value.content_type;
  if ((type === 'text' || type === 'multimodal_text') && Array.isArray(value.parts))
    return partsOf(content, value.parts);
  if (type === 'thoughts' && Array.isArray(value.thoughts))
    return { blocks: value.thoughts.flatMap(thoughtOf), isWhole: false };
  if (type === 'reasoning_recap') return { blocks: [reasoning(textIn(value, 'content') ?? '')], isWhole: false };
  const said = saidIn(value);
  return said === undefined
    ? { blocks: [{ type: 'unknown', native: content.text }], isWhole: true }
    : { blocks: [text(said)], isWhole: false };
}

function partsOf(content: Exact, parts: readonly unknown[]): ChatgptContent {
  const blocks = parts.map((part, index) => partOf(part, textAt(content.text, ['parts', index])!));
  return {
    blocks,
    isWhole: parts.every((part) => typeof part === 'string') && Object.keys(content.value).length === 2,
  };
}

function partOf(part: unknown, native: string): ContentBlock {
  if (typeof part === 'string') return text(part);
  if (!isObject(part)) return { type: 'unknown', native };
  const pointer = textIn(part, 'asset_pointer');
  if (part.content_type === 'image_asset_pointer' && pointer !== undefined) return file('image/*', pointer);
  if (part.content_type === 'audio_asset_pointer' && pointer !== undefined) return file('audio/*', pointer);
  if (part.content_type === 'audio_transcription' && typeof part.text === 'string') return text(part.text);
  return { type: 'unknown', native };
}

function file(mediaType: string, id: string): ContentBlock {
  return { type: 'media', mediaType, source: { kind: 'file', id } };
}

function thoughtOf(thought: unknown): ContentBlock[] {
  if (!isObject(thought)) return [];
  const lines = [textIn(thought, 'summary'), textIn(thought, 'content')].filter((line) => line !== undefined);
  return lines.length > 0 ? [reasoning(lines.join('\n'))] : [];
}

/** The readable text of the content types of tools, errors and custom instructions. */
function saidIn(value: JsonObject): string | undefined {
  switch (value.content_type) {
    case 'code':
    case 'execution_output':
    case 'system_error':
    case 'tether_quote':
      return typeof value.text === 'string' ? value.text : undefined;
    case 'tether_browsing_display':
      return textIn(value, 'result') ?? textIn(value, 'summary') ?? '';
    case 'user_editable_context':
      return [textIn(value, 'user_profile'), textIn(value, 'user_instructions')]
        .filter((part) => part !== undefined)
        .join('\n\n');
    default:
      return undefined;
  }
}
