import type { Block, ToolResult, ToolUse } from '../api/types.ts';
import { plainLine } from '../state/plain-words.ts';
import { t } from '../words/words.ts';
import { compactJson, unknownText } from './json-text.ts';

/** The arguments of a call in one line, as in `get_weather {"city":"Lisbon"} → 19 °C`. */
export function summarizeCall({ rawParameters }: ToolUse): string {
  return oneLine(compactJson(rawParameters), 120);
}

export function summarizeResult({ content, isError }: ToolResult): string {
  const text = oneLine(content.map(blockText).filter(Boolean).join(' '), 160);
  return text === '' ? (isError ? t('summary.failed') : t('summary.empty-result')) : text;
}

/** A message in one line, without the marks of Markdown. */
export function summarizeBlocks(blocks: readonly Block[], length = 140): string {
  const said = blocks.flatMap((block) =>
    block.type === 'text' || block.type === 'refusal'
      ? [plainLine(block.text.slice(0, length * 8).replace(/\s+/g, ' '))]
      : [],
  );
  const text = oneLine(said.join(' '), length);
  return text === '' ? oneLine(blocks.map(blockText).filter(Boolean).join(', '), length) : text;
}

/** The text of a block, or a description of it. */
function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return block.text;
    case 'reasoning':
      return block.redacted ? t('summary.redacted') : t('summary.thinks', { text: block.text });
    case 'tool-use':
      return t('summary.calls', { name: block.name, parameters: summarizeCall(block) });
    case 'tool-result':
      return summarizeResult(block);
    case 'media':
      return block.name ?? block.mediaType;
    case 'unknown':
      return oneLine(block.native, 80);
    default:
      return oneLine(unknownText(block), 80);
  }
}

/** The text of a message for the clipboard. */
export function plainText(blocks: readonly Block[]): string {
  return blocks
    .flatMap((block) => (block.type === 'text' || block.type === 'refusal' ? [block.text] : []))
    .join('\n\n');
}

/** Collapses white space and shortens the text, without cutting a surrogate pair. */
export function oneLine(text: string, length: number): string {
  const joined = text
    .slice(0, length * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return joined.length <= length ? joined : `${joined.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
