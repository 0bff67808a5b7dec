import {
  getMember,
  type MergeRule,
  mergeDelta,
  parseTree,
  type RecordNode,
  recordNode,
  setMember,
} from '../../json/index.ts';
import { isKnownMember } from './stream-rules.ts';

const RULE: MergeRule = { replaced: new Set(), placed: new Set() };

/**
 * Members of known events that no reader knows. They belong to no item, so they are kept beside the response, joined
 * by event type: one more member on every delta must not keep every delta.
 */
export class UnreadMembers {
  readonly #byType = recordNode();

  add(type: string, data: string): void {
    const event = parseTree(data);
    if (event.kind !== 'record') return;
    const unknown: RecordNode = {
      kind: 'record',
      members: event.members.filter(({ name }) => !isKnownMember(name)),
    };
    const before = getMember(this.#byType, type);
    if (before?.kind === 'record') mergeDelta(before, unknown, RULE);
    else setMember(this.#byType, type, unknown);
  }

  /** Adds `unread_members` to an envelope when there are any. */
  addTo(envelope: RecordNode): void {
    if (this.#byType.members.length > 0) setMember(envelope, 'unread_members', this.#byType);
  }
}
