import {
  assistant,
  type ContentBlock,
  isObject,
  type JsonObject,
  type Message,
  system,
  textAt,
  toolResult,
  user,
} from '@skein/core';
import type { TakeFacts } from '../../forest/index.ts';
import { wrongShape } from '../format-error.ts';
import type { BuiltInImporter, ImportedMessage } from '../importer.ts';
import {
  argumentsText,
  type ExactObject,
  memberTexts,
  objectAt,
  otherMembers,
  readObject,
  readTime,
  textMember,
} from '../source/exact-json.ts';
import { unknownMessage } from './source-conversation.ts';

/** `conversations.json` of ChatGPT's export: a tree of messages by id, hidden ones and branches included. */
export const chatgpt: BuiltInImporter = {
  recognisedBy: 'objects with "mapping"',
  detects: ({ mapping }) => isObject(mapping),
  read(text, { file }) {
    const conversation = readObject(text, 'a conversation with "mapping"');
    const mapping = objectAt(conversation, 'mapping');
    if (!mapping) throw wrongShape('a conversation with "mapping"');
    const { value } = conversation;
    const nodes: Nodes = new Map([...memberTexts(mapping)].map(([id, node]) => [id, nodeAt(id, node)]));
    const head = textMember(value, 'current_node');
    const at = nearestMessage(nodes, head);
    const created = readTime(value.create_time);
    const updated = readTime(value.update_time) ?? created;
    const id = textMember(value, 'conversation_id') ?? textMember(value, 'id');
    const about = otherMembers(conversation, ['mapping', 'title', 'create_time', 'update_time', 'current_node']);
    const messages = readMessages(nodes, file).map((message) =>
      message.parent === undefined ? withExtra(message, { conversation: about }) : message,
    );
    return {
      ...(id !== undefined && { id }),
      title: textMember(value, 'title') ?? '',
      ...(created !== undefined && { createdAt: created }),
      ...(updated !== undefined && { updatedAt: updated }),
      ...(value.is_archived === true && { tags: ['archived'] }),
      messages,
      ...(at !== undefined && { head: at }),
    };
  },
};

interface MappingNode {
  readonly id: string;
  readonly parent: string | undefined;
  readonly message: ExactObject | undefined;
}

type Nodes = ReadonlyMap<string, MappingNode>;

function nodeAt(id: string, text: string): MappingNode {
  const node = readObject(text, `an object at mapping["${id}"]`);
  const message = objectAt(node, 'message');
  return { id, parent: textMember(node.value, 'parent'), message: message && !isEmpty(message) ? message : undefined };
}

/** ChatGPT puts messages without a word before conversations and between steps, hidden from people and from models. */
function isEmpty({ value }: ExactObject): boolean {
  const { content, metadata } = value;
  if (!isObject(content) || content.content_type !== 'text' || !Array.isArray(content.parts)) return false;
  const isHidden = (isObject(metadata) && metadata.is_visually_hidden_from_conversation === true) || value.weight === 0;
  const role = isObject(value.author) ? value.author.role : undefined;
  return (isHidden || role === 'system' || role === 'assistant') && content.parts.every((part) => part === '');
}

/** The nearest node with a message: the node itself or an ancestor. */
function nearestMessage(byId: Nodes, id: string | undefined): string | undefined {
  const seen = new Set<string>();
  let at = id;
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    const node = byId.get(at);
    if (node?.message) return at;
    at = node?.parent;
  }
  return undefined;
}

type FindFile = Parameters<BuiltInImporter['read']>[1]['file'];

function readMessages(byId: Nodes, file: FindFile): ImportedMessage[] {
  return [...byId.values()].flatMap((node) =>
    node.message ? [{ key: node.id, parent: nearestMessage(byId, node.parent), ...readMessage(node, byId, file) }] : [],
  );
}

function readMessage({ id, message }: MappingNode, byId: Nodes, file: FindFile) {
  const { value } = message!;
  const author = objectAt(message!, 'author');
  const content = objectAt(message!, 'content');
  const { blocks, isWhole } = content ? readContent(content, file) : { blocks: [], isWhole: true };
  const role = author && textMember(author.value, 'role');
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const model = textMember(metadata, 'model_slug');
  const extra = otherMembers(message!, isWhole ? ['content', 'create_time'] : ['create_time']);
  const take: TakeFacts = {
    extra,
    ...(role === 'assistant' && { author: 'model', provider: 'openai', ...(model && { model }) }),
  };
  return { message: writeMessage(id, role, message!, blocks, byId), at: readTime(value.create_time), take };
}

function writeMessage(
  id: string,
  role: string | undefined,
  source: ExactObject,
  blocks: readonly ContentBlock[],
  byId: Nodes,
): Message {
  const { value } = source;
  if (role === 'system') return system(blocks);
  if (role === 'user') return user(blocks);
  if (role === 'tool') return toolResult(callAbove(id, byId) ?? id, blocks, { isError: isError(value) });
  if (role !== 'assistant') return unknownMessage(source.text);
  const recipient = textMember(value, 'recipient');
  if (recipient === undefined || recipient === 'all') return assistant(blocks);
  // A message to a tool is a call; its id is that of the message.
  const said = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const others = blocks.filter(({ type }) => type !== 'text');
  const rawParameters = argumentsText(said, undefined);
  return assistant([...others, { type: 'tool-use', id, name: recipient, parameters: {}, rawParameters }]);
}

/** The call that a result belongs to: the nearest ancestor that is a message to a tool. */
function callAbove(id: string, byId: Nodes): string | undefined {
  const seen = new Set<string>();
  for (let at = byId.get(id)?.parent; at !== undefined && !seen.has(at); at = byId.get(at)?.parent) {
    seen.add(at);
    const message = byId.get(at)?.message?.value;
    if (!message) continue;
    const role = isObject(message.author) ? message.author.role : undefined;
    if (role === 'tool') continue;
    return role === 'assistant' && (textMember(message, 'recipient') ?? 'all') !== 'all' ? at : undefined;
  }
  return undefined;
}

function isError(value: ExactObject['value']): boolean {
  return isObject(value.content) && value.content.content_type === 'system_error';
}

function withExtra(message: ImportedMessage, more: Record<string, unknown>): ImportedMessage {
  return { ...message, take: { ...message.take, extra: { ...message.take?.extra, ...more } } };
}

/** The content of a message as blocks; `isWhole` if the blocks hold everything. */
interface ChatgptContent {
  readonly blocks: readonly ContentBlock[];
  readonly isWhole: boolean;
}

const text = (said: string): ContentBlock => ({ type: 'text', text: said });
const reasoning = (thought: string): ContentBlock => ({ type: 'reasoning', text: thought, redacted: false });

/** Reads the content of a message by its type. An unknown type becomes one unknown block with the exact text. */
function readContent(content: ExactObject, file: FindFile): ChatgptContent {
  const { value } = content;
  const type = value.content_type;
  if ((type === 'text' || type === 'multimodal_text') && Array.isArray(value.parts))
    return readParts(content, value.parts, file);
  if (type === 'thoughts' && Array.isArray(value.thoughts))
    return { blocks: value.thoughts.flatMap(readThought), isWhole: false };
  if (type === 'reasoning_recap') return { blocks: [reasoning(textMember(value, 'content') ?? '')], isWhole: false };
  const said = readableText(value);
  return said === undefined
    ? { blocks: [{ type: 'unknown', native: content.text }], isWhole: true }
    : { blocks: [text(said)], isWhole: false };
}

function readParts(content: ExactObject, parts: readonly unknown[], file: FindFile): ChatgptContent {
  const blocks = parts.map((part, index) => readPart(part, textAt(content.text, ['parts', index])!, file));
  return {
    blocks,
    isWhole: parts.every((part) => typeof part === 'string') && Object.keys(content.value).length === 2,
  };
}

function readPart(part: unknown, native: string, file: FindFile): ContentBlock {
  if (typeof part === 'string') return text(part);
  if (!isObject(part)) return { type: 'unknown', native };
  const pointer = textMember(part, 'asset_pointer');
  if (part.content_type === 'image_asset_pointer' && pointer !== undefined) return attached('image/*', pointer, file);
  if (part.content_type === 'audio_asset_pointer' && pointer !== undefined) return attached('audio/*', pointer, file);
  if (part.content_type === 'audio_transcription' && typeof part.text === 'string') return text(part.text);
  return { type: 'unknown', native };
}

/** The file itself where the export has it; otherwise only what the export calls it. */
function attached(mediaType: string, id: string, file: FindFile): ContentBlock {
  const found = file?.(id);
  if (!found) return { type: 'media', mediaType, source: { kind: 'file', id } };
  const { data, name } = found;
  return { type: 'media', mediaType: found.mediaType, source: { kind: 'base64', data }, name };
}

function readThought(thought: unknown): ContentBlock[] {
  if (!isObject(thought)) return [];
  const lines = [textMember(thought, 'summary'), textMember(thought, 'content')].filter((line) => line !== undefined);
  return lines.length > 0 ? [reasoning(lines.join('\n'))] : [];
}

/** The readable text of the content types of tools, errors and custom instructions. */
function readableText(value: JsonObject): string | undefined {
  switch (value.content_type) {
    case 'code':
    case 'execution_output':
    case 'system_error':
    case 'tether_quote':
      return typeof value.text === 'string' ? value.text : undefined;
    case 'tether_browsing_display':
      return textMember(value, 'result') ?? textMember(value, 'summary') ?? '';
    case 'user_editable_context':
      return [textMember(value, 'user_profile'), textMember(value, 'user_instructions')]
        .filter((part) => part !== undefined)
        .join('\n\n');
    default:
      return undefined;
  }
}
