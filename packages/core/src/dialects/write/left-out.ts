import { isObject, parseJson } from '../../json/index.ts';
import type { ContentBlock } from '../../message/index.ts';
import type { LossNote, LossReason } from '../loss.ts';
import { dropped } from './notes.ts';

/** Why a block without a place in the target is left out. */
export function leftOut(block: ContentBlock, path: string): LossNote {
  return dropped(path, reasonFor(block));
}

function reasonFor(block: ContentBlock): LossReason {
  switch (block.type) {
    case 'reasoning':
      return 'foreign-reasoning';
    case 'media':
      return 'unsupported-media';
    case 'text':
    case 'refusal':
      return 'empty';
    case 'unknown':
      return isServerTool(block.native) ? 'server-tool' : 'unknown-block';
    default:
      return 'unknown-block';
  }
}

/** Providers name such blocks by their `type`, or by the one member that holds them. */
function isServerTool(native: string): boolean {
  const value = parseJson(native);
  if (!isObject(value)) return false;
  const kind = typeof value.type === 'string' ? value.type : Object.keys(value).join(' ');
  return /tool|call|search|fetch|code|exec|mcp|shell|computer/i.test(kind);
}
