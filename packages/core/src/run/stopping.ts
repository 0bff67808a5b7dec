import type { Clock } from '../providers/index.ts';

/** Ends a run from outside: `aborted` by the caller, or its `time` is up. The first reason counts. */
export class Stopping {
  readonly #controller = new AbortController();
  readonly #undo: (() => void)[] = [];
  reason: 'aborted' | 'time' | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(reason: 'aborted' | 'time'): void {
    if (this.reason) return;
    this.reason = reason;
    this.#controller.abort();
  }

  follow(signal: AbortSignal): void {
    const stop = () => this.stop('aborted');
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    this.#undo.push(() => signal.removeEventListener('abort', stop));
  }

  after(ms: number, clock: Clock): void {
    this.#undo.push(clock.setTimer(ms, () => this.stop('time')));
  }

  dispose(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }
}
