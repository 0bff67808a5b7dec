import { SkeinError, type SkeinErrorCode } from '@skein/core';

/** How a refusal differs from a plain 400. */
interface RefusalFacts {
  readonly status?: number;
  readonly code?: SkeinErrorCode;
  /** The vendor's own word for it, such as `thread_unsupported_request`. */
  readonly word?: string;
  /** The member of the request that is refused. */
  readonly param?: string;
  readonly retryAfterMs?: number;
}

/**
 * A request that the gateway refuses, because it must not or cannot do what the client's program relies on. The client is
 * told in the form of its own protocol.
 */
export class ClientRefusal extends SkeinError {
  override readonly name = 'ClientRefusal';
  readonly code: SkeinErrorCode;
  readonly status: number;
  readonly word: string | undefined;
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    { status = 400, code = 'invalid_request', word, param, retryAfterMs }: RefusalFacts = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.word = word;
    this.param = param;
    this.retryAfterMs = retryAfterMs;
  }
}
