import type { ContentBlock, ToolOutput } from '@skein/core';
import { isRecord } from '../files/shape.ts';

/** What a server gave back, as the output of a tool. A result that the server calls an error is thrown. */
export function outputOf(result: unknown): ToolOutput {
  if (!isRecord(result)) throw new Error('The MCP server gave back something that is no result.');
  const content = Array.isArray(result.content) ? result.content.map(blockOf) : [];
  const structured = result.structuredContent;
  const blocks = [
    ...content,
    ...(structured === undefined || isSaid(structured, content) ? [] : [jsonBlock(structured)]),
  ];
  if (result.isError === true) throw new Error(textOf(blocks) || 'The tool failed, and did not say why.');
  if (blocks.length > 0) return blocks;
  return Array.isArray(result.content) ? 'The tool gave back nothing.' : [jsonBlock(result)];
}

function blockOf(block: unknown): ContentBlock {
  if (!isRecord(block)) return jsonBlock(block);
  const { type, text, data, mimeType, resource } = block;
  if (type === 'text' && typeof text === 'string') return { type: 'text', text };
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return mediaBlock(mimeType, data) ?? jsonBlock(block);
  if (type === 'resource' && isRecord(resource)) return resourceBlock(resource) ?? jsonBlock(block);
  // Links, and kinds that came later: as they are.
  return jsonBlock(block);
}

function resourceBlock({ uri, text, blob, mimeType }: Readonly<Record<string, unknown>>): ContentBlock | undefined {
  if (typeof text === 'string') return { type: 'text', text: `${String(uri)}:\n${text}` };
  return typeof blob === 'string' ? mediaBlock(mimeType, blob) : undefined;
}

function mediaBlock(mediaType: unknown, data: string): ContentBlock | undefined {
  const isNamed = typeof mediaType === 'string' && /^[a-z]+\/[a-z0-9.+-]+$/i.test(mediaType);
  if (!isNamed || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  return { type: 'media', mediaType, source: { kind: 'base64', data } };
}

const jsonBlock = (value: unknown): ContentBlock => ({ type: 'text', text: JSON.stringify(value) ?? 'null' });

/** Servers are asked to give structured results as text, too; then saying them twice would only cost. */
function isSaid(structured: unknown, content: readonly ContentBlock[]): boolean {
  const wanted = JSON.stringify(structured);
  return content.some((block) => {
    if (block.type !== 'text') return false;
    try {
      return JSON.stringify(JSON.parse(block.text)) === wanted;
    } catch {
      return false;
    }
  });
}

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
