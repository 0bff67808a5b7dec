import { SkeinError } from '../../error.ts';
import { findingLines } from '../tools/prepare.ts';
import type { Finding } from '../tools/types.ts';

/** An answer that does not follow the schema. */
export class InvalidOutputError extends SkeinError {
  override readonly name = 'InvalidOutputError';
  readonly code = 'invalid_output';
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super(`The answer is not as its schema wants it:\n${findingLines(findings)}`);
    this.findings = findings;
  }
}
