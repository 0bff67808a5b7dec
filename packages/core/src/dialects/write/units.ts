import { loneSurrogates, splice } from '../../json/index.ts';
import { type CallRef, createMessage, type Message } from '../../message/index.ts';
import { isMisnamed } from './calls.ts';
import { type Entry, entryOf } from './entry.ts';
import { type Job, NO_CALLS } from './job.ts';
import { rewritten } from './notes.ts';
import type { CallLookup, Frame, RequestWriter, Target, Unit } from './writer.ts';

/** Whether a request to this target may carry the message's own text. */
export function isOwn(message: Message, target: Target): boolean {
  const { dialect, issuer } = message.origin;
  return dialect === target.provider.dialect && issuer === target.provider.issuer;
}

/**
 * What a message becomes for a target; kept with the message, since a history is sent again with every turn. One that
 * is `repeated` where the target refuses that is written anew.
 */
export function entriesFor(message: Message, index: number, isRepeated: boolean, job: Job): readonly Entry[] {
  const { writer, target } = job;
  const { find } = job.calls.get(index) ?? NO_CALLS;
  const known = cache.get(message);
  const { results } = message.facts;
  if (
    known &&
    known.index === index &&
    known.isRepeated === isRepeated &&
    known.writer === writer &&
    isSameTarget(known.target, target) &&
    known.answered.every((call, at) => isSame(call, find(results[at]!)))
  )
    return known.entries;
  const isNative = isOwn(message, target) && !isRepeated;
  const misnamed = isNative ? results.filter((id) => isMisnamed(id, find(id))) : [];
  const units =
    isNative && misnamed.length === 0
      ? splicedUnits(message, index, job, false)
      : translatedUnits(withSingleIds(message), { find }, job);
  const renamed = misnamed.map((id) => rewritten('', 'tool-id', `${id} -> ${find(id)!.id}`));
  const entries = units.map((unit, at) =>
    entryOf(at > 0 ? unit : { ...unit, losses: [...unit.losses, ...renamed] }, index, message),
  );
  cache.set(message, { index, isRepeated, writer, target, answered: results.map(find), entries });
  return entries;
}

interface Kept {
  readonly index: number;
  readonly isRepeated: boolean;
  readonly writer: RequestWriter;
  readonly target: Target;
  readonly answered: readonly (CallRef | undefined)[];
  readonly entries: readonly Entry[];
}

const cache = new WeakMap<Message, Kept>();

/** What a message is written by, besides itself and the calls that it answers. */
function isSameTarget(a: Target, b: Target): boolean {
  return (
    a.provider === b.provider &&
    a.model === b.model &&
    a.account === b.account &&
    a.upstream === b.upstream &&
    a.store === b.store
  );
}

function isSame(a: CallRef | undefined, b: CallRef | undefined): boolean {
  return a?.id === b?.id && a?.name === b?.name;
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

/** A message written from its blocks. */
export function translatedUnits(message: Message, calls: CallLookup, { writer, target }: Job): readonly Unit[] {
  return writer.translate(message, target, calls).map(withWholeCharacters);
}

export function splicedUnits(message: Message, index: number, job: Job, dropBound: boolean): readonly Unit[] {
  const { find } = job.calls.get(index) ?? NO_CALLS;
  const idOf = (id: string): string => find(id)?.id ?? id;
  const isRenamed = message.facts.results.some((id) => idOf(id) !== id);
  return job.writer.splice(message, job.target, { dropBound }).map((unit) => {
    const whole = withWholeCharacters(unit);
    return isRenamed ? { ...whole, results: whole.results.map(idOf) } : whole;
  });
}

/** Providers refuse half a character, wherever it stands and also in what they wrote themselves (`surrogate`). */
function withWholeCharacters(unit: Unit): Unit {
  const edits = loneSurrogates(unit.text);
  if (edits.length === 0) return unit;
  return {
    ...unit,
    text: splice(unit.text, edits),
    pieces: undefined,
    parts: unit.parts?.map((part) => splice(part, loneSurrogates(part))),
    losses: [...unit.losses, rewritten('', 'surrogate')],
  };
}

/** The same for what stands around the messages: system, tools, parameters and `extra`. */
export function withWholeFrame(frame: Frame): Frame {
  const { head, lead, tail, losses } = frame;
  const whole = [head, tail, ...lead].map((text) => splice(text, loneSurrogates(text)));
  if (whole.every((text, index) => text === [head, tail, ...lead][index])) return frame;
  const [wholeHead, wholeTail, ...wholeLead] = whole as [string, string, ...string[]];
  return {
    ...frame,
    head: wholeHead,
    lead: wholeLead,
    tail: wholeTail,
    losses: [...losses, rewritten('', 'surrogate')],
  };
}
