import type { ContentBlock, Loss, Message } from '@skein/core';
import { allItems, type Forest, type ForestNode, isDamage, resolveWalkStart, walkAll } from '../../forest/index.ts';
import { DEFAULT_DIALECT } from '../../model/dialects.ts';
import { ROOT } from '../../model/ids.ts';
import { exportSegments } from '../segments.ts';
import { type ExportedText, toFineTuningLine, toMessageArray } from './dialect-messages.ts';
import { HTML_END, htmlHead, toHtml } from './html.ts';
import type { ExportSelection } from './selection.ts';

/** The formats of `exportText`. */
export type ExportFormat = 'segments' | 'markdown' | 'html' | 'messages' | 'fine-tuning';

/** Options of `exportText`. */
export interface ExportOptions {
  readonly format: ExportFormat;
  /** Default: everything. */
  readonly of?: ExportSelection;
  /** For `messages` and `fine-tuning`; default: OpenAI's chat completions. */
  readonly dialect?: string;
  /** Receives what a conversation loses in the dialect, before its text. Segments lose nothing. */
  readonly onLosses?: (conversation: ExportLosses) => void;
  /** Receives a conversation that was left out because a text of it is damaged. */
  readonly onDamaged?: (conversation: ExportDamage) => void;
  /** Receives the number of messages written so far, from time to time. */
  readonly onProgress?: (messages: number) => void;
}

/** A conversation that could not be exported. */
export interface ExportDamage {
  /** The node where the conversation ends. */
  readonly head: string;
  /** What is damaged, and where. */
  readonly reason: string;
}

/** What a conversation loses in another dialect. */
export interface ExportLosses {
  /** The node where the conversation ends. */
  readonly head: string;
  readonly losses: readonly Loss[];
}

/**
 * Exports a part of a forest as text, piece by piece. `segments` loses nothing and imports again with the same ids;
 * `markdown` and `html`, a page that loads and runs nothing, are for readers; `messages` has one list in a dialect per line and conversation; `fine-tuning` has one
 * object per line.
 *
 * @example
 * for await (const piece of exportText(forest, { format: 'markdown', of: { thread } })) process.stdout.write(piece);
 */
export async function* exportText(forest: Forest, options: ExportOptions): AsyncGenerator<string> {
  const { format, of = 'everything', onLosses, onDamaged, onProgress } = options;
  if (format === 'segments') {
    yield* exportSegments(forest, of, onProgress ?? (() => undefined));
    return;
  }
  let messages = 0;
  if (format === 'html') yield htmlHead(await pageTitle(forest, of));
  for await (const conversation of selectConversations(forest, of, onDamaged)) {
    const { text, losses } = write(conversation, options);
    if (losses.length > 0) onLosses?.({ head: conversation.head, losses });
    yield text;
    messages += conversation.nodes.length;
    onProgress?.(messages);
  }
  if (format === 'html') yield HTML_END;
}

async function pageTitle(forest: Forest, of: ExportSelection): Promise<string> {
  if (of === 'everything' || 'below' in of) return 'Conversations';
  return ('thread' in of && (await forest.threads.get(of.thread)).title) || 'Conversation';
}

function write(
  conversation: ExportedConversation,
  { format, dialect = DEFAULT_DIALECT.id }: ExportOptions,
): ExportedText {
  if (format === 'markdown') return { text: toMarkdown(conversation), losses: [] };
  if (format === 'html') return { text: toHtml(conversation), losses: [] };
  const { text, losses } =
    format === 'messages' ? toMessageArray(conversation, dialect) : toFineTuningLine(conversation, dialect);
  return { text: `${text}\n`, losses };
}

/** A conversation from its first message to its end. */
export interface ExportedConversation {
  readonly head: string;
  readonly title: string;
  readonly nodes: readonly ForestNode[];
}

/**
 * The conversations of a selection, one for each end of a branch. Of several conversations, damaged ones are left out;
 * if the only one is damaged, that is an error.
 */
async function* selectConversations(
  forest: Forest,
  of: ExportSelection,
  onDamaged: (conversation: ExportDamage) => void = () => undefined,
): AsyncGenerator<ExportedConversation> {
  if (of === 'everything') {
    yield* everyConversation(forest, ROOT, onDamaged);
    return;
  }
  if ('below' in of) {
    yield* everyConversation(forest, await forest.resolve(of.below), onDamaged);
    return;
  }
  if ('thread' in of) {
    const { head, title } = await forest.threads.get(of.thread);
    yield { head, title, nodes: await forest.path(head) };
    return;
  }
  if ('path' in of) {
    const nodes = await forest.path(of.path);
    yield { head: nodes.at(-1)?.id ?? ROOT, title: '', nodes };
    return;
  }
  const node = await forest.node(of.node);
  yield { head: node.id, title: '', nodes: [node] };
}

async function* everyConversation(
  forest: Forest,
  top: string,
  onDamaged: (conversation: ExportDamage) => void,
): AsyncGenerator<ExportedConversation> {
  const titles = new Map<string, string>();
  for await (const { head, title } of allItems((page) => forest.threads.list(page))) titles.set(head, title);
  for await (const head of everyEnd(forest, top)) {
    const nodes = await forest.path(head).catch((error: unknown) => {
      if (!isDamage(error)) throw error;
      onDamaged({ head, reason: error.message });
    });
    if (nodes) yield { head, title: titles.get(head) ?? '', nodes };
  }
}

/** The ends of all branches below a node, readable or not; the node itself if nothing is below it. */
async function* everyEnd({ store }: Forest, top: string): AsyncGenerator<string> {
  const start = await resolveWalkStart(store, top);
  let isAlone = top !== ROOT && !start.removed;
  for await (const { record, isLeaf } of walkAll(store, start)) {
    isAlone = false;
    if (isLeaf) yield record.id;
  }
  if (isAlone) yield top;
}

const NAMES = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool', other: 'Other' } as const;

/** Writes a conversation for readers. It cannot be imported again. */
function toMarkdown({ title, nodes }: ExportedConversation): string {
  const parts = nodes.map(nodeMarkdown);
  return `${[`# ${title.trim() || 'Conversation'}`, ...parts].join('\n\n')}\n\n`;
}

function nodeMarkdown({ id, role, message, takes }: ForestNode): string {
  const model = takes.find((take) => take.author === 'model')?.model;
  const about = [model, takes[0] && new Date(takes[0].at).toISOString(), id.slice(0, 10)].filter(Boolean).join(' · ');
  return [`## ${NAMES[role]}`, `<!-- ${about} -->`, ...contentMarkdown(message)].join('\n\n');
}

function contentMarkdown({ content }: Message): string[] {
  return content.map(blockMarkdown).filter((text) => text !== '');
}

function blockMarkdown(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'refusal':
      return `**Refused:** ${block.text}`;
    case 'reasoning':
      return quoted(block.redacted ? '(thoughts that the provider keeps to itself)' : block.text);
    case 'tool-use':
      return `**Calls** \`${block.name}\`\n\n${fenced(block.rawParameters, 'json')}`;
    case 'tool-result': {
      const text = block.content.map(blockMarkdown).join('\n\n');
      return `**${block.isError ? 'Failed' : 'Result'}**\n\n${fenced(text, '')}`;
    }
    case 'media': {
      const { source, mediaType, name = mediaType } = block;
      if (source.kind === 'url') return `![${name}](${source.url})`;
      return source.kind === 'file'
        ? `*${name}: the file ${source.id}*`
        : `*${name}: ${source.data.length} characters of base64*`;
    }
    case 'unknown':
      return fenced(block.native, 'json');
    default:
      return fenced(JSON.stringify(block satisfies never), 'json');
  }
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** A code block with a fence that is longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
