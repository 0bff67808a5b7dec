/** What was asked, judged and answered. */
import type { Protocol } from '../protocol.ts';
import type { Verdict } from '../rules/verdict.ts';
import type { Headers } from './access.ts';

export interface Served {
  readonly status: number;
  readonly headers: Headers;
  /** The bytes that were sent, as far as it came. */
  readonly body: Buffer;
  /** `left`: the client went away first. */
  readonly ended: 'complete' | 'cut' | 'reset' | 'hang' | 'end' | 'left';
}

export interface LogEntry {
  /** By the emulator's clock. */
  readonly at: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Headers;
  /** The exact bytes. */
  readonly body: Buffer;
  readonly protocol: Protocol;
  readonly issuer: string;
  readonly verdict: Verdict;
  /** Undefined while the answer is on its way. */
  readonly served: Served | undefined;
}
