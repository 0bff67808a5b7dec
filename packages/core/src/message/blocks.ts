import { SkeinError } from '../error.ts';
import { isObject, type JsonObject, mapElements, parseJson, textAt } from '../json/index.ts';
import type { MessageView, Role } from './message.ts';

/** One part of a message, in the provider's order. Blocks are a view of the raw text, which they never change. */
export type ContentBlock =
  | TextBlock
  | ToolUseBlock
  | ToolResultBlock
  | ReasoningBlock
  | MediaBlock
  | RefusalBlock
  | UnknownBlock;

/** Text, with the citations that the provider gave for it. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[];
}

/** The source of a statement. `native` is the provider's own JSON text of it. */
export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly quote?: string;
  readonly native: string;
}

/** A tool call that the model makes. */
export interface ToolUseBlock {
  readonly type: 'tool-use';
  /** Pairs the call with its result. Derived from the message's text if the provider gave none. */
  readonly id: string;
  readonly name: string;
  /** The parsed arguments; `{}` if `rawParameters` is not a JSON object. */
  readonly parameters: JsonObject;
  /** The arguments exactly as the model wrote them. */
  readonly rawParameters: string;
  /** `custom`: the tool takes free text instead of JSON arguments, and its results are written differently. */
  readonly form?: 'custom';
}

/** The result of a tool call. */
export interface ToolResultBlock {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
}

/** The reasoning of the model, as far as the provider shows it. */
export interface ReasoningBlock {
  readonly type: 'reasoning';
  readonly text: string;
  /** The provider withheld the text: the raw message holds only ciphertext. */
  readonly redacted: boolean;
}

/** An image, an audio clip, a video or a document. */
export interface MediaBlock {
  readonly type: 'media';
  /** Such as `image/png`; `image/*` if only the kind is known. */
  readonly mediaType: string;
  readonly source: MediaSource;
  readonly name?: string;
}

/** Where the bytes of a media block are: in the message, at an address, or at the provider. */
export type MediaSource =
  | { readonly kind: 'base64'; readonly data: string }
  | { readonly kind: 'url'; readonly url: string }
  /** A file that the provider stores; its id means nothing to other issuers. */
  | { readonly kind: 'file'; readonly id: string };

/** The model's refusal to answer, where the provider marks it as such. */
export interface RefusalBlock {
  readonly type: 'refusal';
  readonly text: string;
}

/** A block that this version does not know: it is stored, sent back to its issuer, and shown as it is. */
export interface UnknownBlock {
  readonly type: 'unknown';
  /** The native block's JSON text. */
  readonly native: string;
}

/** The JSON text of one content block. The key order is fixed, so that the same block always gives the same bytes. */
export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return `{"type":"text","text":${JSON.stringify(block.text)}${citationsText(block.citations)}}`;
    case 'tool-use':
      return `{"type":"tool-use","id":${JSON.stringify(block.id)},"name":${JSON.stringify(block.name)},"parameters":${parametersText(block.rawParameters ?? JSON.stringify(block.parameters))}}`;
    case 'tool-result':
      return `{"type":"tool-result","toolCallId":${JSON.stringify(block.toolCallId)},"isError":${block.isError},"content":${contentText(block.content)}}`;
    case 'unknown':
      return block.native;
    case 'reasoning':
      return JSON.stringify({ type: block.type, text: block.text, redacted: block.redacted });
    case 'media':
      return JSON.stringify({ type: block.type, mediaType: block.mediaType, source: block.source, name: block.name });
    case 'refusal':
      return JSON.stringify({ type: block.type, text: block.text });
    default:
      throw new TypeError(`${JSON.stringify(block satisfies never)} is not a content block: its "type" is unknown`);
  }
}

/** The JSON text of a message's content. Empty content is written as one empty text block, which keeps the message valid. */
export function contentText(content: readonly ContentBlock[]): string {
  const blocks = content.length > 0 ? content : [{ type: 'text', text: '' } as const];
  return `[${blocks.map(blockText).join(',')}]`;
}

function citationsText(citations: readonly { readonly native: string }[] | undefined): string {
  return citations && citations.length > 0 ? `,"citations":[${citations.map(({ native }) => native).join(',')}]` : '';
}

function parametersText(raw: string): string {
  if (raw.trim() === '') return '{}';
  parseJson(raw);
  return raw;
}

/** Thrown for a text that breaks the rules of Skein's own content-block JSON. */
export class BlocksMessageError extends SkeinError {
  override readonly name = 'BlocksMessageError';
  readonly code = 'invalid_blocks_message';

  constructor(problem: string) {
    super(`Not a content-block message: ${problem}`);
  }
}

const ROLES: ReadonlySet<unknown> = new Set<Role>(['system', 'user', 'assistant', 'tool']);

/** The view of a message in Skein's own content-block JSON. */
export function viewBlocks(raw: string): MessageView {
  const value = parseJson(raw);
  if (!isObject(value)) throw new BlocksMessageError('it is not an object');
  const { role, content, tool_call_id: callId } = value;
  if (!ROLES.has(role))
    throw new BlocksMessageError(`the role is ${JSON.stringify(role)}; it must be one of ${[...ROLES].join(', ')}`);
  if (!Array.isArray(content) || content.length === 0) {
    throw new BlocksMessageError(
      '"content" must be a non-empty array of blocks; an empty answer is [{"type":"text","text":""}]',
    );
  }
  const blocks = plainTexts(content) ?? mapElements(raw, value, 'content', readBlock);
  if (role !== 'assistant' && blocks.some((block) => block.type === 'tool-use')) {
    throw new BlocksMessageError(`only assistant messages may hold "tool-use" blocks, but this is a ${role} message`);
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

/** The blocks of a message of plain texts, as most messages are: they need no slicing of the raw text. */
function plainTexts(values: readonly unknown[]): ContentBlock[] | undefined {
  const blocks: ContentBlock[] = [];
  for (const value of values) {
    if (!isObject(value) || value.type !== 'text' || typeof value.text !== 'string' || 'citations' in value)
      return undefined;
    blocks.push({ type: 'text', text: value.text });
  }
  return blocks;
}

function readBlock(value: unknown, native: string): ContentBlock {
  if (!isObject(value)) return { type: 'unknown', native };
  const { type, text, id, name } = value;
  if (type === 'text' && typeof text === 'string') {
    const citations = mapElements(native, value, 'citations', (citation, source) => readCitation(source, citation));
    return 'citations' in value ? { type, text, citations } : { type, text };
  }
  if (type === 'tool-use' && typeof id === 'string' && typeof name === 'string') {
    const parameters = isObject(value.parameters) ? value.parameters : {};
    return { type, id, name, parameters, rawParameters: textAt(native, ['parameters']) ?? '{}' };
  }
  if (type === 'tool-result' && typeof value.toolCallId === 'string' && Array.isArray(value.content)) {
    const content = mapElements(native, value, 'content', readBlock);
    return { type, toolCallId: value.toolCallId, content, isError: value.isError === true };
  }
  if (type === 'reasoning' && typeof text === 'string') return { type, text, redacted: value.redacted === true };
  if (type === 'refusal' && typeof text === 'string') return { type, text };
  const media = type === 'media' ? readMedia(value) : undefined;
  return media ?? { type: 'unknown', native };
}

function readMedia(value: JsonObject): ContentBlock | undefined {
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

/** A citation with the members that can be shown, whatever the provider calls them. */
export function readCitation(native: string, value: unknown): Citation {
  if (!isObject(value)) return { native };
  const url = firstString(value.url, value.uri);
  const title = firstString(value.title, value.document_title);
  const quote = firstString(value.cited_text, value.quote);
  return { ...(url && { url }), ...(title && { title }), ...(quote && { quote }), native };
}

function firstString(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
