import type { Message } from '@skein/core';

/**
 * Which messages are stored. A run does not wait for whoever looks at it; what it does next waits here, so that no tool
 * runs and nothing is asked before the messages that lead there are safe.
 */
export class Keeping {
  readonly #kept = new WeakSet<Message>();
  readonly #waiting = new Map<Message, (() => void)[]>();
  #failure: { readonly reason: unknown } | undefined;

  constructor(stored: readonly Message[]) {
    for (const message of stored) this.#kept.add(message);
  }

  kept(message: Message): void {
    this.#kept.add(message);
    for (const wake of this.#waiting.get(message) ?? []) wake();
    this.#waiting.delete(message);
  }

  /** Nothing more will be stored. */
  fail(reason: unknown): void {
    this.#failure = { reason };
    for (const wake of [...this.#waiting.values()].flat()) wake();
    this.#waiting.clear();
  }

  /** Throws when it will never be stored. */
  async until(message: Message | undefined): Promise<void> {
    if (!message || this.#kept.has(message)) return;
    if (!this.#failure)
      await new Promise<void>((resolve) => {
        this.#waiting.set(message, [...(this.#waiting.get(message) ?? []), resolve]);
      });
    if (!this.#kept.has(message)) throw this.#failure?.reason;
  }
}
