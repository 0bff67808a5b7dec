import type { ContentBlock, Message } from '@skein/core';
import type { ForestNode } from '../../forest/index.ts';
import type { ExportedConversation } from './export-text.ts';

const NAMES = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool', other: 'Other' } as const;

/** Writes a conversation for readers. It cannot be imported again. */
export function toMarkdown({ title, nodes }: ExportedConversation): string {
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
