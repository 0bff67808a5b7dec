import { isObject, parseJson } from '../../json/index.ts';
import type { ContentBlock, Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { dropped } from '../write/notes.ts';

/** What a block that has no place here leaves behind: a note, but for an answer that is nothing but empty. */
export function leftOut(block: ContentBlock, message: Message, path: string): LossNote[] {
  switch (block.type) {
    case 'text':
      return message.content.length > 1 ? [dropped(path, 'empty', 'an empty text says nothing')] : [];
    case 'reasoning':
      return [
        dropped(path, 'foreign-reasoning', 'reasoning is only for the provider that made it, and never sent as text'),
      ];
    case 'media':
      return [dropped(path, 'unsupported-media', 'media is not taken in assistant messages')];
    case 'unknown':
      return isServerTool(block.native)
        ? [dropped(path, 'server-tool', "the record of another provider's own tool")]
        : [dropped(path, 'unknown-block', 'a block that only its own provider knows')];
    default:
      return [];
  }
}

const SERVER_TOOL = /tool|call|search|fetch|execut|mcp|shell|computer/i;

function isServerTool(native: string): boolean {
  const value = parseJson(native);
  if (!isObject(value)) return false;
  const names = typeof value.type === 'string' ? [value.type] : Object.keys(value);
  return names.some((name) => SERVER_TOOL.test(name));
}
