import { checkMessages, type Message, user } from '../../message/index.ts';
import type { RunResult } from '../../run/index.ts';
import { checkOptions } from './check-options.ts';
import { openState, readOrDiscard } from './open-state.ts';
import { startChat } from './start-chat.ts';
import { type StateText, writeState } from './state.ts';
import type { ChatOptions, ChatResult, ChatRun } from './types.ts';

/**
 * Opaque state in, opaque state out. System messages at the front of a call are sent first and never stored; all others
 * are stored in their place.
 */
export class Chat {
  readonly #options: ChatOptions;

  constructor(options: ChatOptions) {
    this.#options = Object.freeze({ ...checkOptions(options) });
  }

  /** One answer, without state. */
  async chat(messages: Iterable<Message>, more: Partial<ChatOptions> = {}): Promise<RunResult> {
    const { state: _, discarded: __, ...result } = await this.chatWithState(null, messages, more);
    return result;
  }

  /** Goes on from a state. `more` are options for this call alone, such as `signal` or `approvals`. */
  async chatWithState(
    state: StateText,
    messages: Iterable<Message>,
    more: Partial<ChatOptions> = {},
  ): Promise<ChatResult> {
    return this.streamWithState(state, messages, more).result;
  }

  /** The same as events, and with the same result. */
  streamWithState(state: StateText, messages: Iterable<Message>, more: Partial<ChatOptions> = {}): ChatRun {
    const options = { ...this.#options, ...checkOptions(more) };
    return startChat(openState(state, options), checkMessages(messages), options);
  }

  /** Adds messages to a state without asking anyone. One that cannot be read is kept in the new one: the next call tells of it. */
  appendToState(state: StateText, messages: Iterable<Message>): string {
    const { state: opened, discarded } = readOrDiscard(state, this.#options);
    return writeState({ ...opened, list: opened.list.copy().extend(checkMessages(messages)), discarded });
  }

  /** Adds something that happened, as a user message. */
  updateStateAfterEvent(state: StateText, text: string): string {
    return this.appendToState(state, [user(text)]);
  }
}
