import { digest } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { RunOptions } from '../../run/index.ts';
import type { MessageList } from '../message-list.ts';

/** The newest version of a state that this release writes; it reads all before it, too. */
export const STATE_VERSION = 2;

/** A state as it is kept: the text that a chat gave, its bytes where a database keeps those, or nothing yet. */
export type StateText = string | Uint8Array | null | undefined;

/** What a state holds. Callers see it as text only. */
export interface ChatState {
  /** Who the conversation was last with; undefined where nobody was asked yet. */
  readonly with: Partner | undefined;
  readonly list: MessageList;
  /** How many of the messages the model has seen. */
  readonly seen: number;
  /** What stood before the messages in the last request. */
  readonly prefix: Prefix | undefined;
  /** A state that could not be read when something was appended to it: the next call tells of it. */
  readonly discarded: Discarded | undefined;
}

export interface Partner {
  readonly provider: string;
  readonly dialect: string;
  readonly issuer: string;
}

/** Digests of the system messages and the tools, one by one, so that a change can be named. */
export interface Prefix {
  readonly system: readonly string[];
  readonly tools: readonly (readonly [name: string, digest: string])[];
}

export type DiscardReason =
  | 'invalid_conversation_state'
  | 'unsupported_state_version'
  | 'provider_mismatch'
  | 'message_unmarshal_failed';

/** A state that was not used. */
export interface Discarded {
  readonly reason: DiscardReason;
  /** The text that was given, as it was. */
  readonly state: string;
  /** The message that cannot be read (`message_unmarshal_failed`). */
  readonly index?: number;
}

export function writeState({ with: partner, list, seen, prefix, discarded }: ChatState): string {
  return JSON.stringify({
    version: STATE_VERSION,
    ...partner,
    processed_length: seen,
    ...prefix,
    list,
    discarded,
  });
}

export function prefixOf(system: readonly Message[], tools: RunOptions['tools'] = []): Prefix {
  return {
    system: system.map(({ facts }) => facts.digest),
    tools: tools.map((tool) => {
      if (!('execute' in tool)) return [tool.dialect, digest(tool.native)] as const;
      const { name, description, parameters, native } = tool;
      return [name, digest(JSON.stringify([name, description, parameters, native]))] as const;
    }),
  };
}

/** A count as a state has it; what is none counts nothing. */
export function countUpTo(most: number, value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? Math.min(value, most) : 0;
}
