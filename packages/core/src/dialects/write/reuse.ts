import type { Message } from '../../message/index.ts';
import type { Element, Manifest } from '../manifest.ts';
import { forModel } from '../provider.ts';
import type { Entry } from './entry.ts';
import type { Job } from './job.ts';

const SAME = ['dialect', 'issuer', 'model', 'account', 'start'] as const;

/**
 * The previous request on this branch, if what it sent can simply be sent again: the same target and the same messages
 * at the front. Changed system or tools part the requests anyway.
 */
export function reusable(
  previous: Manifest | undefined,
  made: Pick<Manifest, (typeof SAME)[number] | 'refused' | 'upstream'>,
  messages: readonly Message[],
): Manifest | undefined {
  const count = previous?.messages.length ?? 0;
  return previous &&
    count > 0 &&
    count <= messages.length &&
    SAME.every((name) => previous[name] === made[name]) &&
    // Before the first reasoning that is bound to an upstream, nothing depended on it.
    (previous.upstream ?? made.upstream) === made.upstream &&
    previous.refused.join() === made.refused.join() &&
    previous.messages.every((known, index) => messages[index]!.facts.digest === known)
    ? previous
    : undefined;
}

/** Whether what was sent still holds with this entry behind it: some things may only stand at the end, or before an answer. */
export function holdsBefore(
  next: Entry | undefined,
  { elements, losses }: Manifest,
  { messages, target }: Job,
): boolean {
  if (!next || next.role === 'assistant') return true;
  const { alternateRoles, inlineSystem } = target.provider.policies;
  const index = elements.at(-1)?.of.at(-1) ?? -1;
  const last = messages[index];
  if (alternateRoles && (last?.role ?? 'user') === next.role) return false;
  if (last?.role === 'system' && forModel(inlineSystem, target.model) === 'after-user')
    return losses.some(({ message, reason }) => message === index && reason === 'inline-system');
  // A turn that was sent to be continued (`pause_turn`).
  return last?.role !== 'assistant' || last.facts.calls.length > 0 || last.content.at(-1)?.type !== 'unknown';
}

/** Elements as they were sent, without the cache markers of then. */
export function plainElements({ elements }: Manifest): readonly Element[] {
  return elements.map((element) => (element.plain ? { of: element.of, pieces: element.plain } : element));
}
