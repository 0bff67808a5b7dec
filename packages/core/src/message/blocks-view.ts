import { SkeinError } from '../error.ts';
import { elementsIn, isObject, type JsonObject, parseJson, textAt } from '../json/index.ts';
import type { Citation, ContentBlock, MediaSource } from './blocks.ts';
import type { MessageView, Role } from './message.ts';

/** A text that breaks the rules of Skein's own content-block JSON. */
export class BlocksMessageError extends SkeinError {
  override readonly name = 'BlocksMessageError';
  readonly code = 'invalid_blocks_message';

  constructor(problem: string) {
    super(`Not a content-block message: ${problem}`);
  }
}

const ROLES: ReadonlySet<unknown> = new Set<Role>(['system', 'user', 'assistant', 'tool']);

/** The view of a message in Skein's own content-block JSON. */
export function viewOfBlocks(raw: string): MessageView {
  const value = parseJson(raw);
  if (!isObject(value)) throw new BlocksMessageError('it is not an object');
  const { role, content, tool_call_id: callId } = value;
  if (!ROLES.has(role))
    throw new BlocksMessageError(`the role is ${JSON.stringify(role)}; it is one of ${[...ROLES].join(', ')}`);
  if (!Array.isArray(content) || content.length === 0) {
    throw new BlocksMessageError(
      '"content" must be a non-empty array of blocks; an empty answer is [{"type":"text","text":""}]',
    );
  }
  const blocks = plainTexts(content) ?? elementsIn(raw, value, 'content', blockOf);
  if (role !== 'assistant' && blocks.some((block) => block.type === 'tool-use')) {
    throw new BlocksMessageError(`only the assistant calls tools, but a "tool-use" block stands in a ${role} message`);
  }
  if (role !== 'tool') return { role: role as Role, content: blocks, needs: [] };
  if (typeof callId !== 'string' || callId === '') throw new BlocksMessageError('a tool message needs "tool_call_id"');
  const result: ContentBlock = {
    type: 'tool-result',
    toolCallId: callId,
    content: blocks,
    isError: value.is_error === true,
  };
  return { role, content: [result], needs: [] };
}

/** Nothing but text needs no cutting: what most messages are. */
function plainTexts(values: readonly unknown[]): ContentBlock[] | undefined {
  const blocks: ContentBlock[] = [];
  for (const value of values) {
    if (!isObject(value) || value.type !== 'text' || typeof value.text !== 'string' || 'citations' in value)
      return undefined;
    blocks.push({ type: 'text', text: value.text });
  }
  return blocks;
}

function blockOf(value: unknown, native: string): ContentBlock {
  if (!isObject(value)) return { type: 'unknown', native };
  const { type, text, id, name } = value;
  if (type === 'text' && typeof text === 'string') {
    const citations = elementsIn(native, value, 'citations', (citation, source) => citationOf(source, citation));
    return 'citations' in value ? { type, text, citations } : { type, text };
  }
  if (type === 'tool-use' && typeof id === 'string' && typeof name === 'string') {
    const parameters = isObject(value.parameters) ? value.parameters : {};
    return { type, id, name, parameters, rawParameters: textAt(native, ['parameters']) ?? '{}' };
  }
  if (type === 'tool-result' && typeof value.toolCallId === 'string' && Array.isArray(value.content)) {
    const content = elementsIn(native, value, 'content', blockOf);
    return { type, toolCallId: value.toolCallId, content, isError: value.isError === true };
  }
  if (type === 'reasoning' && typeof text === 'string') return { type, text, redacted: value.redacted === true };
  if (type === 'refusal' && typeof text === 'string') return { type, text };
  const media = type === 'media' ? mediaOf(value) : undefined;
  return media ?? { type: 'unknown', native };
}

function mediaOf(value: JsonObject): ContentBlock | undefined {
  const { mediaType, source, name } = value;
  if (typeof mediaType !== 'string' || !isMediaSource(source)) return undefined;
  return typeof name === 'string' ? { type: 'media', mediaType, source, name } : { type: 'media', mediaType, source };
}

function isMediaSource(value: unknown): value is MediaSource {
  if (!isObject(value)) return false;
  if (value.kind === 'base64') return typeof value.data === 'string';
  if (value.kind === 'url') return typeof value.url === 'string';
  return value.kind === 'file' && typeof value.id === 'string';
}

/** A citation with what can be shown of it, whatever the provider calls it. */
export function citationOf(native: string, value: unknown): Citation {
  if (!isObject(value)) return { native };
  const url = firstString(value.url, value.uri);
  const title = firstString(value.title, value.document_title);
  const quote = firstString(value.cited_text, value.quote);
  return { ...(url && { url }), ...(title && { title }), ...(quote && { quote }), native };
}

function firstString(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
