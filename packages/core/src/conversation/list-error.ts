import { SkeinError } from '../error.ts';

/** A saved list that cannot be read: what is wrong, and where. */
export class MessageListDeserializationError extends SkeinError {
  override readonly name = 'MessageListDeserializationError';
  readonly code = 'unreadable_messages';
  /** The message at fault, where there is one. */
  readonly index: number | undefined;
  /** The version of the list, where that is what cannot be read, and those that can. */
  readonly version: unknown;
  readonly supported: readonly (number | string)[];

  constructor(
    problem: string,
    about: {
      readonly index?: number;
      readonly cause?: unknown;
      readonly version?: unknown;
      readonly supported?: readonly (number | string)[];
    } = {},
  ) {
    const { index, cause, version, supported = [] } = about;
    super(index === undefined ? `Cannot read messages: ${problem}` : `Cannot read message ${index}: ${problem}`, {
      cause,
    });
    this.index = index;
    this.version = version;
    this.supported = supported;
  }
}
