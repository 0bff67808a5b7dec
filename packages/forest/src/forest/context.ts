import type { Clock } from '../model/index.ts';
import type { Store } from '../store/index.ts';

/** What every operation works on. */
export interface Context {
  readonly store: Store;
  readonly clock: Clock;
}
