import type { ContentBlock, Loss, Message } from '@skein/core';
import type { Forest, ForestNode } from '../../forest/index.ts';
import { DEFAULT_DIALECT } from '../../model/dialects.ts';
import { FormatError } from '../format-error.ts';
import { exportSegments } from '../segments.ts';
import { findKeys, removeKeys } from '../session-logs/keys-in-logs.ts';
import {
  type ConversationFilters,
  type DatasetSplit,
  type ExportDamage,
  type ExportedConversation,
  selectConversations,
} from './conversations.ts';
import { CSV_HEAD, toCsvRow, toInspectSample, toJsonLine, toPromptfooTest, toShareGptLine } from './datasets.ts';
import { dialectOfProvider, type ExportedText, toFineTuningLine, toMessageArray } from './dialect-messages.ts';
import type { ExportFormat } from './export-formats.ts';
import { HTML_END, htmlHead, toHtml } from './html.ts';
import type { ExportSelection } from './selection.ts';

/** Options of `exportText`. */
export interface ExportOptions {
  readonly format: ExportFormat;
  /** Default: everything. */
  readonly of?: ExportSelection;
  /** For `messages` and `fine-tuning`; default: OpenAI's chat completions. */
  readonly dialect?: string;
  /** Only conversations that fit all of these. Not for segments, which are the forest itself. */
  readonly where?: ConversationFilters;
  /** Leaves out conversations that say the same as an earlier one. */
  readonly deduplicate?: boolean;
  /** Only one part of a random split, which is the same for the same seed. */
  readonly split?: DatasetSplit;
  /** Whether lines have the definitions of the tools, in formats with a place for them. Default: yes. */
  readonly tools?: boolean;
  /** Leaves out keys and tokens of known services that stand in the texts. */
  readonly removeKeys?: boolean;
  /** Receives what a conversation loses in the dialect, before its text. Segments lose nothing. */
  readonly onLosses?: (conversation: ExportLosses) => void;
  /** Receives a conversation that was left out because a text of it is damaged. */
  readonly onDamaged?: (conversation: ExportDamage) => void;
  /** Receives the number of messages written so far, from time to time. */
  readonly onProgress?: (messages: number) => void;
}

/** What a conversation loses in another dialect. */
export interface ExportLosses {
  /** The node where the conversation ends. */
  readonly head: string;
  readonly losses: readonly Loss[];
}

export async function* exportText(forest: Forest, options: ExportOptions): AsyncGenerator<string> {
  const { format, of = 'everything', where, deduplicate, split, onLosses, onDamaged, onProgress } = options;
  if (format === 'segments') {
    if (where || deduplicate || split || options.removeKeys)
      throw new FormatError(
        'would_lose',
        'Segments are exact: filters, deduplication, a split and the removal of keys are for other formats.',
      );
    yield* exportSegments(forest, of, onProgress ?? (() => undefined));
    return;
  }
  const clean = (text: string) => (options.removeKeys ? removeKeys(text, findKeys(text)) : text);
  let messages = 0;
  if (format === 'html') yield htmlHead(await pageTitle(forest, of));
  if (format === 'csv') yield CSV_HEAD;
  const choice = { of, ...(where && { where }), ...(deduplicate && { deduplicate }), ...(split && { split }) };
  for await (const conversation of selectConversations(forest, choice, onDamaged)) {
    const { text, losses } = write(conversation, options);
    if (losses.length > 0) onLosses?.({ head: conversation.head, losses });
    yield clean(text);
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
  whole: ExportedConversation,
  { format, dialect = DEFAULT_DIALECT.id, tools = true }: ExportOptions,
): ExportedText {
  const conversation = tools ? whole : { ...whole, tools: [] };
  if (format === 'markdown') return { text: toMarkdown(conversation), losses: [] };
  if (format === 'html') return { text: toHtml(conversation), losses: [] };
  const { text, losses } = LINES[format as keyof typeof LINES](conversation, dialect);
  return { text: `${text}\n`, losses };
}

/** The formats with one conversation per line. */
const LINES = {
  messages: toMessageArray,
  'fine-tuning': toFineTuningLine,
  anthropic: (conversation) => toFineTuningLine(conversation, dialectOfProvider('anthropic')),
  sharegpt: toShareGptLine,
  promptfoo: toPromptfooTest,
  inspect: toInspectSample,
  jsonl: toJsonLine,
  csv: toCsvRow,
} as const satisfies Record<
  Exclude<ExportFormat, 'segments' | 'markdown' | 'html'>,
  (conversation: ExportedConversation, dialect: string) => ExportedText
>;

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
