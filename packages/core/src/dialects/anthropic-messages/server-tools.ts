import {
  find,
  findElements,
  isObject,
  type JsonObject,
  parseJson,
  removeItems,
  splice,
  textAt,
} from '../../json/index.ts';
import { dropped, type LossNote } from '../loss.ts';
import type { Draft } from '../write/writer.ts';
import { isThinking, saysNothing } from './rules.ts';

const MENTIONED = /_tool_(?:use|result)"/;
const CALL = /^(?:server|mcp)_tool_use$/;
const RESULT = /_tool_result$/;

/**
 * Drops server-side calls that will not be answered any more (`server-tool-unanswered`) and results without their call
 * (`server-result-orphan`). Both stand in assistant messages; a paused turn spreads them over two. If `isWhole` is false,
 * the calls may precede these drafts.
 */
export function dropUnpairedServerTools(
  drafts: readonly Draft[],
  isWhole: boolean,
): ReadonlyMap<number, Draft | undefined> {
  const changed = new Map<number, Draft | undefined>();
  const called = new Set<unknown>();
  drafts.forEach((draft, index) => {
    const blocks = serverBlocks(draft);
    const gone = new Set<number>();
    blocks.forEach((block, place) => {
      if (hasType(block, CALL)) {
        called.add(block.id);
        if (isAbandoned(block.id, place, blocks, drafts.slice(index + 1))) gone.add(place);
      } else if (isWhole && hasType(block, RESULT) && !called.has(block.tool_use_id)) gone.add(place);
    });
    if (gone.size > 0) changed.set(index, without(draft, blocks, gone));
  });
  return changed;
}

/** Whether a draft calls or answers server-side tools. */
export function usesServerTools(draft: Draft): boolean {
  return serverBlocks(draft).length > 0;
}

function hasType(block: unknown, pattern: RegExp): block is JsonObject {
  return isObject(block) && typeof block.type === 'string' && pattern.test(block.type);
}

/** The blocks of an assistant draft that mentions server-side tools; most do not. Each draft is parsed once. */
function serverBlocks(draft: Draft): readonly unknown[] {
  const known = looked.get(draft);
  if (known) return known;
  const content: unknown =
    draft.role === 'assistant' && MENTIONED.test(draft.text) ? parseJson(textAt(draft.text, ['content']) ?? '[]') : [];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  looked.set(draft, blocks);
  return blocks;
}

const looked = new WeakMap<Draft, readonly unknown[]>();

/** Whether a call has no result, and something other than results of client tools follows it. */
function isAbandoned(id: unknown, place: number, blocks: readonly unknown[], later: readonly Draft[]): boolean {
  const answers = (block: unknown): boolean => hasType(block, RESULT) && block.tool_use_id === id;
  if (blocks.slice(place + 1).some(answers) || later.some((draft) => serverBlocks(draft).some(answers))) return false;
  return later.some(({ role, text }) => role !== 'tool' && !(role === 'assistant' && text.includes(String(id))));
}

/** The draft without these blocks. Thinking was signed together with the blocks around it, so it is dropped, too. */
function without(draft: Draft, blocks: readonly unknown[], gone: ReadonlySet<number>): Draft | undefined {
  const losses: LossNote[] = [...draft.losses];
  const leaves = (index: number): boolean => gone.has(index) || isThinking(blocks[index]);
  blocks.forEach((_, index) => {
    if (leaves(index)) losses.push(dropped(`content[${index}]`, gone.has(index) ? 'server-tool' : 'prefix-bound'));
  });
  if (saysNothing(blocks.filter((_, index) => !leaves(index)))) return undefined;
  const ranges = findElements(draft.text, find(draft.text, ['content'])!.start);
  const text = splice(draft.text, removeItems(ranges, leaves));
  return { ...draft, text, pieces: undefined, bound: undefined, losses };
}
