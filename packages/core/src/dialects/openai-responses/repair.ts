import { type Edit, isObject, memberOf, pieces, removals, skipSpace, splice } from '../../json/index.ts';
import type { CallRef, Message } from '../../message/index.ts';
import type { LossNote, LossReason } from '../loss.ts';
import { argumentsText } from '../write/arguments.ts';
import { boundElsewhere, isPrefixBound } from '../write/bound.ts';
import { dropped, rewritten } from '../write/notes.ts';
import type { Target, Unit } from '../write/writer.ts';
import { type Item, isAssistantMessage, isReasoning, itemsOf } from './items.ts';
import { CACHE_MARKER, hasMalformedArguments, isBound, isEmptyMessage, isIncomplete } from './needs.ts';
import { needsCiphertext, refusedFields, resultsOf, unitRole } from './own-text.ts';
import { strip } from './strip.ts';
import { blocksOfItem } from './view.ts';

/** A message of this API without what the API would refuse, everything else in its own text and order. */
export function repaired(message: Message, target: Target, dropBound: boolean): readonly Unit[] {
  const { raw } = message;
  const { items, isTurn } = itemsOf(raw);
  const fates = fatesOf(items, message, target, dropBound);
  const kept = items.filter((_, index) => fates[index]!.drop === undefined);
  if (kept.every((item) => isEmptyMessage(item.value))) return [];
  const losses: LossNote[] = [];
  const edits: Edit[] = isTurn ? outside(raw, items) : [];
  edits.push(...removals(items, (index) => fates[index]!.drop !== undefined));
  items.forEach((item, index) => {
    const fate = fates[index]!;
    const path = isTurn ? `[${index}]` : '';
    if (fate.drop) losses.push(dropped(path, fate.drop, DETAILS[fate.drop] ?? 'the item cannot be sent'));
    else edits.push(...itemEdits(item, path, fate, message, target, losses));
  });
  return [
    {
      role: unitRole(message),
      text: splice(raw, edits),
      pieces: pieces(raw, edits),
      calls: callsLeft(message, items, fates),
      results: resultsOf(message),
      losses,
      ...(isPrefixBound(target) && kept.some((item) => isBound(item.value)) && { bound: true }),
    },
  ];
}

function callsLeft({ facts }: Message, items: readonly Item[], fates: readonly Fate[]): readonly CallRef[] {
  const gone = new Set(
    items
      .flatMap((item, index) => (fates[index]!.drop ? blocksOfItem(item, index) : []))
      .map((block) => (block.type === 'tool-use' ? block.id : undefined)),
  );
  return gone.size > 0 ? facts.calls.filter((call) => !gone.has(call.id)) : facts.calls;
}

/** What happens to an item: it is left out, or loses its identity, or goes as it is. */
interface Fate {
  drop?: LossReason;
  /** Why the `id` goes: its reasoning does, or it never came to its end. */
  unnamed?: LossReason;
}

const DETAILS: Partial<Record<LossReason, string>> = {
  'account-bound': 'only the account that it was made for can read this item',
  'model-bound': 'only the model that made this item can read it',
  'prefix-bound': 'this item is valid only behind the prefix it was made with',
  'refused-field': 'the reasoning has no ciphertext, and the provider stores nothing: it would not be found',
  'server-tool': 'the record of a tool of the provider needs its id, and its id needs the reasoning that is left out',
  cut: 'the reply was cut before this item was complete, or before what must follow it',
};

/** Records that the API takes only with their id (`required`). */
const NAMED = /^(?:code_interpreter_call|file_search_call|image_generation_call|mcp_call|mcp_list_tools)$/;

function fatesOf(items: readonly Item[], message: Message, target: Target, dropBound: boolean): Fate[] {
  const elsewhere = boundElsewhere(message, target, dropBound);
  const isCut = message.origin.cut === true && items.some(({ value }) => isIncomplete(value));
  const mustBeSealed = needsCiphertext(target);
  const fates = items.map(({ value }): Fate => {
    if (isBound(value) && elsewhere) return { drop: elsewhere };
    if (isReasoning(value)) {
      if (isCut) return { drop: 'cut' };
      return mustBeSealed && typeof value.encrypted_content !== 'string' ? { drop: 'refused-field' } : {};
    }
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

function itemEdits(
  item: Item,
  path: string,
  { unnamed }: Fate,
  message: Message,
  target: Target,
  losses: LossNote[],
): Edit[] {
  const { value, text, start } = item;
  if (!isObject(value)) return [];
  const paths = refusedFields(text.slice(item.start, item.end), target.provider);
  for (const field of paths)
    losses.push(rewritten(at(path, field.join('.')), 'refused-field', 'the provider refuses this field of its own'));
  if (unnamed) {
    paths.push(['id']);
    losses.push(rewritten(at(path, 'id'), unnamed, 'the id goes with the reasoning that the item belongs to'));
  }
  if (unnamed && value.status === 'in_progress') paths.push(['status']);
  if (message.facts.needs.includes('cache')) {
    paths.push(['content', '*', CACHE_MARKER], ['output', '*', CACHE_MARKER]);
    losses.push(rewritten(path, 'cache-marker', 'cache markers are placed anew for each request'));
  }
  const edits = strip(text, start, paths);
  if (!hasMalformedArguments(value)) return edits;
  const range = memberOf(text, start, 'arguments')!;
  const standIn = argumentsText(value.arguments, at(path, 'arguments'), losses);
  return [...edits, { start: range.start, end: range.end, text: JSON.stringify(standIn) }];
}

function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A turn's brackets, and the space between them and its items. */
function outside(raw: string, items: readonly Item[]): Edit[] {
  const [first, last] = [items[0]!, items.at(-1)!];
  return [
    { start: 0, end: Math.max(first.start, skipSpace(raw, 0) + 1), text: '' },
    { start: last.end, end: raw.length, text: '' },
  ];
}
