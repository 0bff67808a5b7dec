import { isObject, type JsonObject, type Path, parseJson, textAt } from '../../json/index.ts';
import type { LossReason } from '../loss.ts';
import { argumentsText, pathText, type Repair, rewritten, splicer } from '../write/index.ts';
import { hasBadInput, innerLists, isEmptyText, isIncomplete, isThinking, isVisible, saysNothing } from './flaws.ts';

/** A message of this API: its own text, as untouched as its facts allow. */
export const spliceMessage = /* @__PURE__ */ splicer({
  repair(repair) {
    const { message, elsewhere, drop } = repair;
    const { content } = parseJson(message.raw) as JsonObject;
    if (!Array.isArray(content)) return isVisible(content) ? {} : undefined;
    const reasons = dropReasons(content, message.origin.cut === true, elsewhere);
    const kept = content.filter((_, index) => reasons[index] === undefined);
    if (saysNothing(kept)) return undefined;
    content.forEach((block: unknown, index) => {
      const reason = reasons[index];
      if (reason) drop(['content', index], reason);
      else repairBlock(block, ['content', index], repair);
    });
    const uses = kept.filter((block) => isObject(block) && block.type === 'tool_use');
    const { calls } = message.facts;
    const isKept = (id: string): boolean => uses.some((use) => use.id === undefined || use.id === id);
    return uses.length === calls.length ? {} : { calls: calls.filter(({ id }) => isKept(id)) };
  },
});

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

/** Takes out a client's cache markers and the empty texts inside a block, and sees to its input. */
function repairBlock(block: unknown, path: Path, repair: Repair): void {
  if (!isObject(block)) return;
  const { message, changes, losses, drop } = repair;
  if ('cache_control' in block) {
    changes.set([...path, 'cache_control']);
    losses.push(rewritten(pathText(path), 'cache-marker'));
  }
  if (hasBadInput(block)) {
    const at = [...path, 'input'];
    const given = typeof block.input === 'string' ? block.input : (textAt(message.raw, at) ?? '');
    changes.set(at, argumentsText(given, pathText(at), losses));
  }
  for (const { path: inner, items } of innerLists(block))
    items.forEach((item, index) => {
      const at = [...path, ...inner, index];
      if (isEmptyText(item)) drop(at, 'empty');
      else repairBlock(item, at, repair);
    });
}
