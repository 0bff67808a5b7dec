import { realClock } from '../../providers/index.ts';
import type { Notice, ObserverEvent } from '../../run/index.ts';
import { decodeSaved } from '../saved.ts';
import { isSameProvider, partnerOf } from './partner.ts';
import { newState, readState } from './read-state.ts';
import type { ChatState, Discarded, Partner, StateText } from './state.ts';
import { ConversationStateError } from './state-error.ts';
import type { ChatOptions } from './types.ts';

interface Found {
  readonly state: ChatState;
  readonly discarded: Discarded | undefined;
  readonly notices: readonly Notice[];
}

export interface Opened extends Found {
  /** Who will be asked. */
  readonly partner: Partner | undefined;
}

/** The state to go on from: that which was given, or a new one when it cannot be used. */
export function openState(text: StateText, options: ChatOptions): Opened {
  const partner = partnerOf(options);
  const found = readOrDiscard(text, options);
  const { with: before } = found.state;
  const { onMismatch = 'translate' } = options;
  if (onMismatch === 'translate' || isSameProvider(before, partner)) return { ...found, partner };
  const problem = `The state is of a conversation with ${before?.provider}, not ${partner?.provider}; "onMismatch: 'translate'" would take it along`;
  // It was read, so it is text or the bytes of text.
  const state = decodeSaved(text) as string;
  return { ...discard({ reason: 'provider_mismatch', state }, problem, options), partner };
}

/** The same, whoever it is of. */
export function readOrDiscard(text: StateText, options: ChatOptions): Found {
  const read = readState(text);
  return 'problem' in read
    ? discard(read.discarded, read.problem, options)
    : { state: read.state, discarded: read.state.discarded, notices: [] };
}

function discard(discarded: Discarded, problem: string, options: ChatOptions): Found {
  if (options.onMismatch === 'throw') throw new ConversationStateError(discarded, problem);
  const notice: Notice = { code: 'state-discarded', message: `${problem}. The conversation starts anew` };
  tell(options, notice);
  return { state: newState(), discarded, notices: [notice] };
}

/** What is noticed before a run is observed as run 0. */
export function tell({ observer, observePayloads, clock = realClock }: ChatOptions, notice: Notice): void {
  const { code } = notice;
  const event: ObserverEvent = { run: 0, at: clock.now(), type: 'notice', code, ...(observePayloads && { notice }) };
  try {
    observer?.(event);
  } catch {
    // Whoever only looks must not be able to break anything.
  }
}
