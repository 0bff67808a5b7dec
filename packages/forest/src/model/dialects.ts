import { type Dialect, openaiChat, providers, sse } from '@skein/core';
import type { Framing } from '@skein/core/dialect';

/** The dialect where none is named: the one that most programs read and write. */
export const DEFAULT_DIALECT: Dialect = openaiChat;

/** How a provider separates the events of a stream: its own way, or that of its dialect if it is not known here. */
export function findFraming(dialect: Dialect, provider: string | undefined): Framing {
  return providers().find(({ id }) => id === provider)?.framing ?? dialect.framing ?? sse;
}
