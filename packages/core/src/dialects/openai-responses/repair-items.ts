import { Changes, isObject, isText, type JsonObject, type Path, splice } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import { dropped, type LossNote, type LossReason, rewritten } from '../loss.ts';
import { formatPath, type OwnRules } from '../write/own-message.ts';
import { toArguments } from '../write/translate.ts';
import type { Draft, Target } from '../write/writer.ts';
import { type Item, isAssistantMessage, isReasoning, readItems } from './items.ts';
import { hasMalformedArguments, isBound, isEmptyMessage, isIncomplete, needsCiphertext } from './rules.ts';

/** Changes a message of this API into one that it takes back; returns undefined if nothing is left to send. */
export const repair: OwnRules['repair'] = ({ message, target, elsewhere, changes, losses }) => {
  const { raw, facts } = message;
  const { items, isTurn } = readItems(raw);
  const fates = decideFates(items, message, target, elsewhere);
  const kept = items.map((item) => item.value).filter((_, index) => !fates[index]!.drop);
  // A turn whose items are all dropped reports each of them.
  const isGone = isTurn && items.length > 0 && kept.length === 0;
  if (!isGone && kept.every(isEmptyMessage)) return undefined;
  items.forEach(({ value }, index) => {
    const fate = fates[index]!;
    const at = (...names: string[]): Path => (isTurn ? [index, ...names] : names);
    if (!fate.drop && hasMalformedArguments(value)) {
      const standIn = toArguments(value.arguments, formatPath(at('arguments')), losses);
      changes.set(at('arguments'), JSON.stringify(standIn));
    }
    applyFate(fate, value, at, changes, losses);
  });
  const left = kept.map((item) => isObject(item) && item.call_id);
  return kept.length === items.length ? {} : { calls: facts.calls.filter(({ id }) => left.includes(id)) };
};

/** Drops items from a draft, together with those that cannot stay without them. */
function withoutItems(draft: Draft, isGone: (item: JsonObject) => boolean): Draft {
  const raw = `[${draft.text}]`;
  const { items } = readItems(raw);
  const fates = items.map(({ value }): Fate => (isObject(value) && isGone(value) ? { drop: 'server-tool' } : {}));
  if (!fates.some(({ drop }) => drop)) return draft;
  applyDependencies(items, fates);
  const changes = new Changes();
  const losses = [...draft.losses];
  for (const [index, { value }] of items.entries())
    applyFate(fates[index]!, value, (...names) => [index, ...names], changes, losses);
  return { ...draft, text: splice(raw, changes.edits(raw)).slice(1, -1), pieces: undefined, losses };
}

/** What happens to an item: it is dropped, it loses its id, or it stays as it is. */
interface Fate {
  drop?: LossReason;
  /** Why the `id` is removed: its reasoning is dropped, or it is incomplete. */
  unnamed?: LossReason;
}

/** Items that the API takes only with their id (`required`). */
const NAMED = /^(?:(?:code_interpreter|file_search|image_generation|web_search)_call|mcp_.*|program.*)$/;

/** Applies an item's fate to the text. */
function applyFate(
  { drop, unnamed }: Fate,
  value: unknown,
  at: (...names: string[]) => Path,
  changes: Changes,
  losses: LossNote[],
): void {
  if (drop) {
    changes.set(at());
    losses.push(dropped(formatPath(at()), drop));
  } else if (unnamed) {
    changes.set(at('id'));
    losses.push(rewritten(formatPath(at('id')), unnamed));
    if (isObject(value) && value.status === 'in_progress') changes.set(at('status'));
  }
}

function decideFates(
  items: readonly Item[],
  message: Message,
  target: Target,
  elsewhere: LossReason | undefined,
): Fate[] {
  const isCut = message.origin.cut === true && items.some(({ value }) => isIncomplete(value));
  const mustBeSealed = needsCiphertext(target);
  const fates = items.map(({ value }): Fate => {
    if (isBound(value) && elsewhere) return { drop: elsewhere };
    if (isReasoning(value))
      return mustBeSealed && typeof value.encrypted_content !== 'string' ? { drop: 'refused-field' } : {};
    if (!isCut || !isIncomplete(value)) return {};
    return isAssistantMessage(value) && !isEmptyMessage(value) ? { unnamed: 'cut' } : { drop: 'cut' };
  });
  applyDependencies(items, fates);
  return fates;
}

/** Drops and renames items that depend on dropped ones. */
function applyDependencies(items: readonly Item[], fates: Fate[]): void {
  dropUnfollowed(items, fates);
  unnameOrphans(items, fates);
}

/** Reasoning must directly precede the item that it was produced with (`reasoning-following`). */
function dropUnfollowed(items: readonly Item[], fates: Fate[]): void {
  for (let index = items.length - 1; index >= 0; index--) {
    const next = fates[index + 1];
    if (isReasoning(items[index]!.value) && !fates[index]!.drop && (!next || next.drop || next.unnamed))
      fates[index] = { drop: next?.drop ?? 'cut' };
  }
}

/** An item with an id requires its reasoning, an item without one does not (`missing-reasoning`). */
function unnameOrphans(items: readonly Item[], fates: Fate[]): void {
  let missing: LossReason | undefined;
  items.forEach(({ value }, index) => {
    const fate = fates[index]!;
    if (isReasoning(value)) missing = fate.drop;
    else if (missing && !fate.drop && isObject(value) && 'id' in value)
      fates[index] = NAMED.test(String(value.type)) ? { drop: 'server-tool' } : { ...fate, unnamed: missing };
  });
}

/** Calls of the provider's tools that the client runs. They are not blocks, but must be answered nevertheless. */
const RUN_BY_CLIENT = /"((?:local_)?shell|apply_patch)_call"/;

/** Adds these calls to those of a draft. A call that ran on the server has its output beside it, and needs no answer. */
export function withClientCalls(draft: Draft): Draft {
  if (draft.role !== 'assistant' || !RUN_BY_CLIENT.test(draft.text)) return draft;
  const items = readItems(`[${draft.text}]`)
    .items.map(({ value }) => value)
    .filter(isObject);
  const open = items.filter(
    (item) =>
      RUN_BY_CLIENT.test(JSON.stringify(item.type)) &&
      !items.some(({ type, call_id: id }) => type === `${item.type}_output` && id === item.call_id),
  );
  const calls = open.flatMap(({ type, call_id: id }) =>
    isText(id) ? { id, name: String(type), form: String(type) } : [],
  );
  return { ...draft, calls: [...draft.calls, ...calls] };
}

/** Whether a draft calls a computer or shows its screen. */
export function usesComputer({ text }: Draft): boolean {
  return text.includes('"computer_call');
}

/** Drops computer calls without a screenshot, which nothing can replace (`call-unanswered`). */
export function dropUnpairedComputers(drafts: readonly Draft[]): ReadonlyMap<number, Draft | undefined> {
  const changed = new Map<number, Draft | undefined>();
  const isCaller = ({ role, text }: Draft): boolean => role === 'assistant' && text.includes('"computer_call"');
  if (!drafts.some(isCaller)) return changed;
  const screens = drafts.filter(({ text }) => text.includes('"computer_call_output"')).map(({ text }) => text);
  drafts.forEach((draft, index) => {
    if (!isCaller(draft)) return;
    const rest = withoutItems(
      draft,
      ({ type, call_id: id }) => type === 'computer_call' && !screens.some((text) => text.includes(JSON.stringify(id))),
    );
    if (rest !== draft) changed.set(index, rest.text.trim() ? rest : undefined);
  });
  return changed;
}
