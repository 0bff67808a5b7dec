import { type Dialect, providers, sse } from '@skein/core';
import type { Framing } from '@skein/core/dialect';

/** How a provider separates the events of a stream: its own way, or that of its dialect if it is not known here. */
export function findFraming(dialect: Dialect, provider: string | undefined): Framing {
  return providers().find(({ id }) => id === provider)?.framing ?? dialect.framing ?? sse;
}
