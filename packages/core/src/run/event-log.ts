/** Events that are kept, so that whoever comes late reads them from the first one. */
export class EventLog<T> {
  readonly #events: T[] = [];
  readonly #waiting: (() => void)[] = [];
  #ended: { readonly failure?: unknown } | undefined;

  push(event: T): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#ended = {};
    this.#wake();
  }

  /** Reading throws this, once everything before it was read. */
  fail(failure: unknown): void {
    this.#ended = { failure };
    this.#wake();
  }

  async *read(): AsyncGenerator<T, void, undefined> {
    for (let at = 0; ; ) {
      while (at < this.#events.length) yield this.#events[at++]!;
      if (this.#ended) {
        if ('failure' in this.#ended) throw this.#ended.failure;
        return;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
