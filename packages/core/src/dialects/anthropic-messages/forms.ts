import type { MediaBlock } from '../../message/index.ts';
import type { Forms, Said } from '../write/index.ts';
import { fromBase64 } from './base64.ts';

/** Lists of blocks always, never plain strings: a cache marker then changes nothing but the marked block. */
export function messageText(role: 'user' | 'assistant' | 'system', parts: readonly string[]): string {
  return `{"role":"${role}","content":[${parts.join(',')}]}`;
}

export const forms: Forms = {
  blankIsEmpty: true,
  message(role, said) {
    const parts = said.map(part);
    return { text: messageText(role, parts), ...(role === 'user' && { parts }) };
  },
  result({ id, isError, said }) {
    // An empty result has no content: empty texts are refused (`empty-text`).
    const content = said.length > 0 ? `,"content":[${said.map(part).join(',')}]` : '';
    const failed = isError ? ',"is_error":true' : '';
    const block = `{"type":"tool_result","tool_use_id":${JSON.stringify(id)}${content}${failed}}`;
    return { text: messageText('user', [block]), parts: [block] };
  },
  media(block) {
    const source = sourceText(block);
    if (source === undefined) return undefined;
    if (block.mediaType.startsWith('image/')) return `{"type":"image","source":${source}}`;
    const title = block.name === undefined ? '' : `,"title":${JSON.stringify(block.name)}`;
    return `{"type":"document","source":${source}${title}}`;
  },
};

export function textPart(json: string): string {
  return `{"type":"text","text":${json}}`;
}

function part(said: Said): string {
  if (said.type === 'media') return said.part;
  if (said.type !== 'call') return textPart(said.json);
  return `{"type":"tool_use","id":${JSON.stringify(said.id)},"name":${JSON.stringify(said.name)},"input":${said.args}}`;
}

/** Text documents go as text, and cannot be given by address. */
function sourceText({ mediaType, source }: MediaBlock): string | undefined {
  const isText = mediaType === 'text/plain';
  if (source.kind === 'file') return `{"type":"file","file_id":${JSON.stringify(source.id)}}`;
  if (source.kind === 'url') return isText ? undefined : `{"type":"url","url":${JSON.stringify(source.url)}}`;
  if (mediaType.endsWith('/*')) return undefined;
  const data = isText ? fromBase64(source.data) : source.data;
  return data === undefined
    ? undefined
    : `{"type":"${isText ? 'text' : 'base64'}","media_type":${JSON.stringify(mediaType)},"data":${JSON.stringify(data)}}`;
}
