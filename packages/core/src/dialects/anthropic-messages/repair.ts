import {
  addMember,
  type Edit,
  elementsOf,
  find,
  isObject,
  type JsonObject,
  memberOf,
  parseJson,
  type Range,
  removals,
  skipSpace,
  withoutMembers,
} from '../../json/index.ts';
import type { LossNote, LossReason } from '../loss.ts';
import { argumentsText } from '../write/arguments.ts';
import { dropped, rewritten } from '../write/notes.ts';
import { hasBadInput, innerLists, isEmptyText, isIncomplete, isThinking, isVisible, saysNothing } from './flaws.ts';

export interface Repair {
  readonly edits: readonly Edit[];
  readonly losses: readonly LossNote[];
  /** The blocks that are sent; empty when the message has nothing to say without the others. */
  readonly kept: readonly unknown[];
}

/** The edits that make a message's own text one that the API takes. `bound`: why its thinking may not be sent. */
export function repair(raw: string, cut: boolean, bound: LossReason | undefined): Repair {
  const value = parseJson(raw) as JsonObject;
  const content: unknown = value.content;
  if (!Array.isArray(content)) return { edits: [], losses: [], kept: isVisible(content) ? [content] : [] };
  const reasons = dropReasons(content, cut, bound);
  const kept = content.filter((_, index) => reasons[index] === undefined);
  if (saysNothing(kept)) return { edits: [], losses: [], kept: [] };

  const losses: LossNote[] = [];
  const ranges = elementsOf(raw, memberOf(raw, skipSpace(raw, 0), 'content')!.start);
  const edits = removals(ranges, (index) => reasons[index] !== undefined);
  content.forEach((block: unknown, index) => {
    const reason = reasons[index];
    const path = `content[${index}]`;
    if (reason) losses.push(dropped(path, reason));
    else if (isObject(block)) edits.push(...blockEdits(raw, ranges[index]!, block, path, losses));
  });
  return { edits, losses, kept };
}

/** Thinking goes all or none (`thinking-modified`), and never stands last (`thinking-last`). */
function dropReasons(
  content: readonly unknown[],
  cut: boolean,
  bound: LossReason | undefined,
): (LossReason | undefined)[] {
  const reasons = content.map((block): LossReason | undefined => {
    if (isThinking(block) && bound) return bound;
    if (isIncomplete(block, content, cut)) return 'cut';
    return isEmptyText(block) ? 'empty' : undefined;
  });
  const last = content[reasons.lastIndexOf(undefined)];
  const broken = isThinking(last) || content.some((block, index) => isThinking(block) && reasons[index] === 'cut');
  return broken ? reasons.map((reason, index) => reason ?? (isThinking(content[index]) ? 'cut' : undefined)) : reasons;
}

function blockEdits(raw: string, range: Range, block: JsonObject, path: string, losses: LossNote[]): Edit[] {
  const edits = plainEdits(raw, range.start, block, path, losses);
  if (!hasBadInput(block)) return edits;
  const written = typeof block.input === 'string' ? block.input : undefined;
  const input = memberOf(raw, range.start, 'input');
  const text = argumentsText(written ?? (input ? raw.slice(input.start, input.end) : ''), `${path}.input`, losses);
  return [...edits, input ? { start: input.start, end: input.end, text } : addMember(raw, range.start, 'input', text)];
}

/** Takes out a client's cache markers and the empty texts inside a block. */
function plainEdits(raw: string, start: number, block: JsonObject, path: string, losses: LossNote[]): Edit[] {
  const edits: Edit[] = [];
  if ('cache_control' in block) {
    edits.push(...withoutMembers(raw, start, (name) => name === 'cache_control'));
    losses.push(rewritten(path, 'cache-marker'));
  }
  for (const { path: inner, items } of innerLists(block)) {
    const ranges = elementsOf(raw, find(raw, inner, start)!.start);
    edits.push(...removals(ranges, (index) => isEmptyText(items[index])));
    items.forEach((item, index) => {
      const at = `${path}.${inner.join('.')}[${index}]`;
      if (isEmptyText(item)) losses.push(dropped(at, 'empty'));
      else if (isObject(item)) edits.push(...plainEdits(raw, ranges[index]!.start, item, at, losses));
    });
  }
  return edits;
}
