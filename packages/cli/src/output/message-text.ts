import type { ContentBlock, Role } from '@skein/core';
import type { ForestNode } from '@skein/forest';
import type { Redact } from '@skein/server';
import { colors, harmless, oneLine, short, when } from './output.ts';

/** A node in one line: id, role and how it begins. */
export function nodeLine(node: ForestNode, redact: Redact, width?: number): string {
  return `${colors.yellow(short(node.id))} ${roleName(node.role)} ${oneLine(redact(nodeText(node)), width)}`;
}

/** A node with all it says. */
export function nodeLines(node: ForestNode, redact: Redact): string[] {
  const { model } = node.takes.find((take) => take.model !== undefined) ?? {};
  const facts = [when(node.at), ...(model === undefined ? [] : [model]), ...(node.removed ? ['removed'] : [])];
  return [
    `${colors.yellow(short(node.id))} ${roleName(node.role)} ${colors.dim(harmless(facts.join(' · ')))}`,
    ...harmless(redact(nodeText(node))).split('\n'),
  ];
}

/** All that a message says, as text. */
export function nodeText({ message }: ForestNode): string {
  return message.content.map(blockText).join('\n');
}

function roleName(role: Role): string {
  return colors.bold(role);
}

function blockText(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'reasoning') return block.redacted ? '(hidden thoughts)' : `(thought) ${block.text}`;
  if (block.type === 'refusal') return `(refused) ${block.text}`;
  if (block.type === 'tool-use') return `→ ${block.name}(${block.rawParameters})`;
  if (block.type === 'tool-result')
    return `← ${block.isError ? '(failed) ' : ''}${block.content.map(blockText).join('\n')}`;
  if (block.type === 'media') return `[${block.name ?? block.mediaType}]`;
  return '[a block of a kind that is not known here]';
}
