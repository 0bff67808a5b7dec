import { isObject, parseJson } from '../../json/index.ts';
import type { ContentBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { dropped } from '../write/notes.ts';

/** The note for a block that has no place where it would be written. */
export function leftOut(block: ContentBlock, path: string): LossNote {
  switch (block.type) {
    case 'reasoning':
      return dropped(path, 'foreign-reasoning', 'only the model that wrote reasoning can read it');
    case 'media':
      return dropped(path, 'unsupported-media', `${block.mediaType} is not taken here`);
    case 'unknown':
      return isServerTool(block.native)
        ? dropped(path, 'server-tool', 'what a server-side tool did means nothing to another provider')
        : dropped(path, 'unknown-block', 'the block has no counterpart here');
    case 'text':
      return dropped(path, 'empty', 'the text is empty');
    default:
      return dropped(path, 'unknown-block', `a ${block.type} block cannot stand here`);
  }
}

/** Providers name such blocks by their `type`, or by the one member that holds them. */
function isServerTool(native: string): boolean {
  const value = parseJson(native);
  if (!isObject(value)) return false;
  const kind = typeof value.type === 'string' ? value.type : Object.keys(value).join(' ');
  return /tool|call|search|fetch|execut|mcp|computer|interpreter/i.test(kind);
}
