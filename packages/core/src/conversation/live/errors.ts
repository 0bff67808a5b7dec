import { SkeinError } from '../../error.ts';
import type { RunResult } from '../../run/index.ts';

/** Configuration that no conversation can have: an unknown name, or a value of the wrong kind. */
export class ConversationConfigurationError extends SkeinError {
  override readonly name = 'ConversationConfigurationError';
  readonly code = 'invalid_configuration';
  /** The name at fault, such as `limits.steps`. */
  readonly key: string;

  constructor(key: string, problem: string, cause?: unknown) {
    super(`Configuration "${key}": ${problem}`, { cause });
    this.key = key;
  }
}

/** Changes that could not be applied to a conversation. It is as it was before. */
export class DeltaApplicationError extends SkeinError {
  override readonly name = 'DeltaApplicationError';
  readonly code = 'delta_not_applied';

  constructor(problem: string, cause?: unknown) {
    super(`The changes were not applied: ${problem}`, { cause });
  }
}

/** A run that ended well, but without what was asked of it: an object, or an image. */
export class NoAnswerError extends SkeinError {
  override readonly name = 'NoAnswerError';
  readonly code = 'no_answer';
  readonly result: RunResult;

  constructor(wanted: string, result: RunResult) {
    super(`There is no ${wanted} in the answer; the run ended for "${result.stop.reason}"`);
    this.result = result;
  }
}
