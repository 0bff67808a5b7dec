import type { Message } from '../../message/index.ts';
import type { Element, Manifest } from '../manifest.ts';
import type { Target } from './writer.ts';

/**
 * How many of the messages the previous request on this branch already carried, if what it sent can simply be sent
 * again: the same target and the same messages at the front. Changed system or tools part the requests anyway.
 */
export function reusableMessages(
  previous: Manifest | undefined,
  messages: readonly Message[],
  target: Target,
  start: string,
): number {
  if (!previous || previous.messages.length > messages.length) return 0;
  const same =
    previous.dialect === target.provider.dialect &&
    previous.issuer === target.provider.issuer &&
    previous.model === target.model &&
    previous.account === target.account &&
    previous.start === start &&
    previous.refused.join() === target.provider.policies.refusedFields.join() &&
    previous.messages.every((known, index) => messages[index]!.facts.digest === known);
  return same && !isAbandoned(messages, previous.messages.length) ? previous.messages.length : 0;
}

/** A turn that was sent to be continued (`pause_turn`) cannot be sent again as it was once something else was said. */
function isAbandoned(messages: readonly Message[], count: number): boolean {
  const [last, next] = [messages[count - 1], messages[count]];
  if (!next || next.role === 'assistant' || last?.role !== 'assistant') return false;
  return last.facts.calls.length === 0 && last.content.at(-1)?.type === 'unknown';
}

/** Elements as they were sent, without the cache markers of then. */
export function plainElements({ elements }: Manifest): readonly Element[] {
  if (elements.every(({ plain }) => plain === undefined)) return elements;
  return elements.map((element) => (element.plain ? { of: element.of, pieces: element.plain } : element));
}
