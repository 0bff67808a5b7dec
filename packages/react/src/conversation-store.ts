import {
  type Block,
  type CallDecision,
  ConversationError,
  type ConversationSnapshot,
  type ConversationStatus,
  type ConversationTransport,
} from './conversation.ts';

type Playback = (from: ConversationSnapshot, signal: AbortSignal) => AsyncIterable<ConversationSnapshot>;

/** Holds what a component shows, and lets one stream of a transport at a time change it. */
export class ConversationStore {
  readonly #transport: ConversationTransport;
  readonly #listeners = new Set<() => void>();
  #reading: AbortController | undefined;
  #snapshot: ConversationSnapshot;

  constructor(transport: ConversationTransport, id: string | undefined) {
    this.#transport = transport;
    this.#snapshot = beginning(id);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly read = (): ConversationSnapshot => this.#snapshot;

  /** Shows a conversation. What is on screen stays until the same conversation was read again. */
  open(id: string | undefined, at: string | undefined): void {
    if (id !== this.#snapshot.id) this.#set(beginning(id));
    if (id !== undefined) void this.#play('loading', (_from, signal) => this.#transport.open(id, at, signal));
  }

  /** Stops reading; the answer goes on. */
  readonly close = (): void => this.#reading?.abort();

  /** Sends a message, as text or as blocks, and has it answered. */
  readonly send = (message: string | readonly Block[]): Promise<void> => {
    const blocks = typeof message === 'string' ? [{ type: 'text' as const, text: message }] : message;
    return this.#play('sending', (from, signal) => this.#transport.send(from, blocks, signal));
  };

  /** Adds a sibling of a message of the user with another text, and has it answered. */
  readonly edit = (message: string, text: string): Promise<void> =>
    this.#play('sending', (from, signal) => this.#transport.edit(from, message, text, signal));

  /** Adds another answer beside one. */
  readonly regenerate = (message: string): Promise<void> =>
    this.#play('sending', (from, signal) => this.#transport.regenerate(from, message, signal));

  /** Continues an answer that waits, was stopped or failed. Decisions are by the ids of the calls. */
  readonly resume = (decisions: Readonly<Record<string, CallDecision>> = {}): Promise<void> =>
    this.#play('sending', (from, signal) => this.#transport.resume(from, decisions, signal));

  /** Shows the newest branch through a sibling of a message. Answers that are running go on. */
  readonly show = (message: string): Promise<void> =>
    this.#play('loading', (from, signal) => {
      if (this.#transport.show) return this.#transport.show(from, message, signal);
      throw new ConversationError('no_such_route', 'This transport cannot switch between branches.');
    });

  /** Stops the answer on the server; what arrived is kept. */
  readonly stop = async (): Promise<void> => {
    try {
      await this.#transport.stop(this.#snapshot);
    } catch (error) {
      this.#set({ ...this.#snapshot, error: toError(error) });
    }
  };

  async #play(status: ConversationStatus, start: Playback): Promise<void> {
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    const { error: _over, ...from } = this.#snapshot;
    this.#set({ ...from, status });
    try {
      for await (const snapshot of start(from, reading.signal)) {
        if (reading.signal.aborted) return;
        this.#set(snapshot);
      }
    } catch (error) {
      if (!reading.signal.aborted) this.#set({ ...this.#snapshot, status: 'failed', error: toError(error) });
    }
  }

  #set(snapshot: ConversationSnapshot): void {
    this.#snapshot = snapshot;
    for (const listener of this.#listeners) listener();
  }
}

function beginning(id: string | undefined): ConversationSnapshot {
  const status = id === undefined ? 'ready' : 'loading';
  return { messages: [], pending: [], status, ...(id !== undefined && { id }) };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
