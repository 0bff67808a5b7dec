/** One listener on a signal for any number of things to stop: Node warns of a leak from the eleventh on. */
export class FanOut {
  readonly #stops = new Set<() => void>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#stopAll, { once: true });
  }

  readonly #stopAll = (): void => {
    for (const stop of this.#stops) stop();
  };

  add(stop: () => void): void {
    this.#stops.add(stop);
  }

  remove(stop: () => void): void {
    this.#stops.delete(stop);
  }

  dispose(): void {
    this.#signal.removeEventListener('abort', this.#stopAll);
  }
}
