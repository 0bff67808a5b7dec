import type { Clock } from './clock.ts';

/** A clock that only goes on when told to. */
export class FakeClock implements Clock {
  #now = Date.UTC(2026, 10, 15, 12);
  #timers = new Set<{ readonly at: number; readonly fire: () => void }>();

  now(): number {
    return this.#now;
  }

  setTimer(ms: number, fire: () => void): () => void {
    const timer = { at: this.#now + ms, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Milliseconds until each timer that is set, shortest first. */
  get pending(): readonly number[] {
    return [...this.#timers].map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Goes to the next timer and lets it fire. */
  next(): void {
    const [timer] = [...this.#timers].sort((a, b) => a.at - b.at);
    if (!timer) throw new Error('no timer is set');
    this.#timers.delete(timer);
    this.#now = timer.at;
    timer.fire();
  }
}

/** Lets everything run that does not wait for a timer or the network. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
