import type { Message } from '../../message/index.ts';
import type { Element, Manifest } from '../manifest.ts';

const SAME = ['dialect', 'issuer', 'model', 'account', 'start'] as const;

/**
 * The previous request on this branch, if what it sent can simply be sent again: the same target and the same messages
 * at the front. Changed system or tools part the requests anyway.
 */
export function reusable(
  previous: Manifest | undefined,
  made: Pick<Manifest, (typeof SAME)[number] | 'refused'>,
  messages: readonly Message[],
): Manifest | undefined {
  const count = previous?.messages.length ?? 0;
  return previous &&
    count > 0 &&
    count <= messages.length &&
    SAME.every((name) => previous[name] === made[name]) &&
    previous.refused.join() === made.refused.join() &&
    previous.messages.every((known, index) => messages[index]!.facts.digest === known) &&
    !isAbandoned(messages, count)
    ? previous
    : undefined;
}

/** A turn that was sent to be continued (`pause_turn`) cannot be sent again as it was once something else was said. */
function isAbandoned(messages: readonly Message[], count: number): boolean {
  const [last, next] = [messages[count - 1], messages[count]];
  if (!next || next.role === 'assistant' || last?.role !== 'assistant') return false;
  return last.facts.calls.length === 0 && last.content.at(-1)?.type === 'unknown';
}

/** Elements as they were sent, without the cache markers of then. */
export function plainElements({ elements }: Manifest): readonly Element[] {
  return elements.map((element) => (element.plain ? { of: element.of, pieces: element.plain } : element));
}
