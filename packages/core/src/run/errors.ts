import { isObject } from '../json/parse.ts';
import type { Message } from '../message/index.ts';
import type { Checkpoint } from './compaction/checkpoint.ts';
import type { Finding } from './tools/types.ts';
import type { Step } from './types.ts';

/** A run that failed. It carries what the cause says, and what was there until then. */
export class RunError extends Error {
  override readonly name = 'RunError';
  /** The cause's code: `rate_limit`, `authentication`, `missing_key`, `would_lose` …; else `failed`. */
  readonly code: string;
  readonly status: number | undefined;
  /** Whether the same may work later. */
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  /** The exact text of the provider's error. */
  readonly rawBody: string | undefined;
  /** All that is wrong with an answer that does not follow its schema (`invalid_output`). */
  readonly findings: readonly Finding[];
  /** Every message that the run added to the history, the one that was cut included. */
  readonly messages: readonly Message[];
  readonly steps: readonly Step[];
  /** Those that were given, and those that the run made. */
  readonly checkpoints: readonly Checkpoint[];

  constructor(
    cause: unknown,
    messages: readonly Message[],
    steps: readonly Step[],
    checkpoints: readonly Checkpoint[],
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    const facts: Readonly<Record<string, unknown>> = isObject(cause) ? cause : {};
    this.code = text(facts.code) ?? 'failed';
    this.status = typeof facts.status === 'number' ? facts.status : undefined;
    this.retryable = facts.retryable === true;
    this.requestId = text(facts.requestId);
    this.rawBody = text(facts.rawBody) ?? text(facts.body);
    this.findings = facts.code === 'invalid_output' ? (facts.findings as readonly Finding[]) : [];
    this.messages = messages;
    this.steps = steps;
    this.checkpoints = checkpoints;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
