import { loneSurrogates, splice } from '../../json/index.ts';
import { type CallRef, createMessage, type Message } from '../../message/index.ts';
import type { ProviderDescriptor } from '../provider.ts';
import { rewritten } from './notes.ts';
import type { CallLookup, RequestWriter, Target, Unit } from './writer.ts';

/** Whether a request to this target may carry the message's own text. */
export function isOwn(message: Message, target: Target): boolean {
  const { dialect, issuer } = message.origin;
  return dialect === target.provider.dialect && issuer === target.provider.issuer;
}

/** What a message becomes for a target; kept with the message, since a history is sent again with every turn. */
export function unitsOf(message: Message, writer: RequestWriter, target: Target, calls: CallLookup): readonly Unit[] {
  const known = cache.get(message);
  if (known && known.writer === writer && isFor(known, target) && sameCalls(known, message, calls)) return known.units;
  const units = isOwn(message, target)
    ? splicedUnits(message, writer, target, false, calls)
    : writer.translate(withSingleIds(message), target, calls);
  const answered = message.facts.results.map((id) => calls.find(id));
  cache.set(message, {
    writer,
    provider: target.provider,
    model: target.model,
    account: target.account,
    store: target.store,
    answered,
    units,
  });
  return units;
}

/** Calls of one message that share an id get ids of their own (`tool-id-unique`), in a form that every target replaces. */
function withSingleIds(message: Message): Message {
  const { calls, needs } = message.facts;
  if (calls.length < 2 || new Set(calls.map(({ id }) => id)).size === calls.length) return message;
  const counts = new Map<string, number>();
  const content = message.content.map((block) => {
    if (block.type !== 'tool-use') return block;
    const count = (counts.get(block.id) ?? 0) + 1;
    counts.set(block.id, count);
    return count === 1 ? block : { ...block, id: `${block.id} ${count}` };
  });
  return createMessage(message.raw, message.origin, () => ({ role: message.role, content, needs }));
}

export function splicedUnits(
  message: Message,
  writer: RequestWriter,
  target: Target,
  dropBound: boolean,
  calls: CallLookup,
): readonly Unit[] {
  const units = writer.splice(message, target, { dropBound });
  const whole = message.facts.needs.includes('surrogate') ? units.map(withWholeCharacters) : units;
  return message.facts.results.every((id) => (calls.find(id)?.id ?? id) === id)
    ? whole
    : whole.map((unit) => withFoundIds(unit, calls));
}

interface Kept {
  readonly writer: RequestWriter;
  readonly provider: ProviderDescriptor;
  readonly model: string;
  readonly account: string | undefined;
  readonly store: string | undefined;
  readonly answered: readonly (CallRef | undefined)[];
  readonly units: readonly Unit[];
}

const cache = new WeakMap<Message, Kept>();

function isFor(kept: Kept, target: Target): boolean {
  return (
    kept.provider === target.provider &&
    kept.model === target.model &&
    kept.account === target.account &&
    kept.store === target.store
  );
}

function sameCalls(kept: Kept, message: Message, calls: CallLookup): boolean {
  return message.facts.results.every((id, index) => {
    const found = calls.find(id);
    return found?.id === kept.answered[index]?.id && found?.name === kept.answered[index]?.name;
  });
}

function withFoundIds(unit: Unit, calls: CallLookup): Unit {
  return { ...unit, results: unit.results.map((id) => calls.find(id)?.id ?? id) };
}

/** Providers refuse half a character, also in what they wrote themselves (`surrogate`). */
function withWholeCharacters(unit: Unit): Unit {
  const edits = loneSurrogates(unit.text);
  if (edits.length === 0) return unit;
  const losses = [...unit.losses, rewritten('', 'surrogate')];
  const { pieces: _, ...rest } = unit;
  return {
    ...rest,
    text: splice(unit.text, edits),
    losses,
    ...(unit.parts && { parts: unit.parts.map((part) => splice(part, loneSurrogates(part))) }),
  };
}
