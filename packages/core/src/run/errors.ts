import type { ProtocolError } from '../dialects/index.ts';
import { isSkeinError, SkeinError, type SkeinErrorCode } from '../error.ts';
import type { Message } from '../message/index.ts';
import type { ProviderError } from '../providers/index.ts';
import type { Checkpoint } from './compaction/checkpoint.ts';
import type { Finding } from './tools/types.ts';
import type { Step } from './types.ts';

/** A run that failed. It carries what the cause says, and what was there until then. */
export class RunError extends SkeinError {
  override readonly name = 'RunError';
  /** The code of the cause: `rate_limit`, `missing_key`, `would_lose` …; `failed` where the cause is no error of Skein. */
  readonly code: SkeinErrorCode;
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
    const facts: CauseFacts | undefined = isSkeinError(cause) ? cause : undefined;
    this.code = facts?.code ?? 'failed';
    this.status = facts?.status;
    this.retryable = facts?.retryable ?? false;
    this.requestId = facts?.requestId;
    this.rawBody = facts?.rawBody ?? facts?.body;
    this.findings = facts?.findings ?? [];
    this.messages = messages;
    this.steps = steps;
    this.checkpoints = checkpoints;
  }
}

/** What the errors of providers, protocols and schemas tell, of which a cause is one at most. */
interface CauseFacts extends Partial<Pick<ProviderError, 'status' | 'retryable' | 'requestId' | 'rawBody'>> {
  readonly code: SkeinErrorCode;
  readonly body?: ProtocolError['body'];
  readonly findings?: readonly Finding[];
}
