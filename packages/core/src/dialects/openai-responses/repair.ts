import { isObject, type Path } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossReason } from '../loss.ts';
import { argumentsText, type OwnRules, pathText, rewritten, type Target } from '../write/index.ts';
import { type Item, isAssistantMessage, isReasoning, itemsOf } from './items.ts';
import { hasMalformedArguments, isBound, isEmptyMessage, isIncomplete } from './needs.ts';
import { needsCiphertext } from './storage.ts';

/** Makes a message of this API one that it takes back; undefined when nothing is left to send. */
export const repair: OwnRules['repair'] = ({ message, target, elsewhere, changes, losses, drop }) => {
  const { raw, facts } = message;
  const { items, isTurn } = itemsOf(raw);
  const fates = fatesOf(items, message, target, elsewhere);
  const kept = items.map((item) => item.value).filter((_, index) => !fates[index]!.drop);
  // A turn that goes item by item tells of each.
  const isGone = isTurn && items.length > 0 && kept.length === 0;
  if (!isGone && kept.every(isEmptyMessage)) return undefined;
  items.forEach(({ value }, index) => {
    const { drop: reason, unnamed } = fates[index]!;
    const at = (...names: string[]): Path => (isTurn ? [index, ...names] : names);
    if (reason) drop(at(), reason);
    else if (hasMalformedArguments(value)) {
      const standIn = argumentsText(value.arguments, pathText(at('arguments')), losses);
      changes.set(at('arguments'), JSON.stringify(standIn));
    }
    if (!unnamed) return;
    changes.set(at('id'));
    losses.push(rewritten(pathText(at('id')), unnamed));
    if (isObject(value) && value.status === 'in_progress') changes.set(at('status'));
  });
  const left = kept.map((item) => isObject(item) && item.call_id);
  return kept.length === items.length ? {} : { calls: facts.calls.filter(({ id }) => left.includes(id)) };
};

/** What happens to an item: it is left out, or loses its identity, or goes as it is. */
interface Fate {
  drop?: LossReason;
  /** Why the `id` goes: its reasoning does, or it never came to its end. */
  unnamed?: LossReason;
}

/** Records that the API takes only with their id (`required`). */
const NAMED = /^(?:(?:code_interpreter|file_search|image_generation|web_search)_call|mcp_.*|program.*)$/;

function fatesOf(items: readonly Item[], message: Message, target: Target, elsewhere: LossReason | undefined): Fate[] {
  const isCut = message.origin.cut === true && items.some(({ value }) => isIncomplete(value));
  const mustBeSealed = needsCiphertext(target);
  const fates = items.map(({ value }): Fate => {
    if (isBound(value) && elsewhere) return { drop: elsewhere };
    if (isReasoning(value))
      return mustBeSealed && typeof value.encrypted_content !== 'string' ? { drop: 'refused-field' } : {};
    if (!isCut || !isIncomplete(value)) return {};
    return isAssistantMessage(value) && !isEmptyMessage(value) ? { unnamed: 'cut' } : { drop: 'cut' };
  });
  dropUnfollowed(items, fates);
  unnameOrphans(items, fates);
  return fates;
}

/** Reasoning must stand right before what it was produced with (`reasoning-following`). */
function dropUnfollowed(items: readonly Item[], fates: Fate[]): void {
  for (let index = items.length - 1; index >= 0; index--) {
    const next = fates[index + 1];
    if (isReasoning(items[index]!.value) && !fates[index]!.drop && (!next || next.drop || next.unnamed))
      fates[index] = { drop: 'cut' };
  }
}

/** An item with an id asks for its reasoning; without one it stands alone (`missing-reasoning`). */
function unnameOrphans(items: readonly Item[], fates: Fate[]): void {
  let missing: LossReason | undefined;
  items.forEach(({ value }, index) => {
    const fate = fates[index]!;
    if (isReasoning(value)) missing = fate.drop;
    else if (missing && !fate.drop && isObject(value) && 'id' in value)
      fates[index] = NAMED.test(String(value.type)) ? { drop: 'server-tool' } : { ...fate, unnamed: missing };
  });
}
