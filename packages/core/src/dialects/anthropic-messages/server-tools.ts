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
import type { LossNote } from '../loss.ts';
import { type Draft, dropped } from '../write/index.ts';
import { isThinking, saysNothing } from './rules.ts';

const MENTIONED = /_tool_(?:use|result)"/;
const CALL = /^(?:server|mcp)_tool_use$/;
const RESULT = /_tool_result$/;

/**
 * Tools on the provider's side call and answer in assistant messages, a paused turn in two of them. A call that nobody
 * will answer any more (`server-tool-unanswered`) and a result without its call (`server-result-orphan`) are left out;
 * where `isWhole` is false, calls may stand before these drafts.
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

function hasType(block: unknown, pattern: RegExp): block is JsonObject {
  return isObject(block) && typeof block.type === 'string' && pattern.test(block.type);
}

/** Most messages have none; each text is looked at once. */
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

/** Without a result, and since then something else was said than results of the client's tools. */
function isAbandoned(id: unknown, place: number, blocks: readonly unknown[], later: readonly Draft[]): boolean {
  const answers = (block: unknown): boolean => hasType(block, RESULT) && block.tool_use_id === id;
  if (blocks.slice(place + 1).some(answers) || later.some((draft) => serverBlocks(draft).some(answers))) return false;
  return later.some(({ role, text }) => role !== 'tool' && !(role === 'assistant' && text.includes(String(id))));
}

/** Thinking was signed together with the blocks around it, and goes with them. */
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
