import {
  type Dialect,
  type Environment,
  estimateTokens,
  exchange,
  isObject,
  ProviderError,
  parseJson,
} from '@skein/core';
import { serving } from '@skein/core/dialect';
import type { Target } from './client/client-call.ts';
import type { OutgoingRequest } from './request/exchange.ts';

/** How many tokens a request has. */
export interface TokenCount {
  readonly tokens: number;
  /** Whether it is our rough estimate: the provider does not count, or could not be asked. */
  readonly isEstimate: boolean;
}

/** A request whose tokens are counted. */
interface CountedRequest {
  readonly target: Target;
  /** The dialect of the target. */
  readonly dialect: Dialect;
  readonly request: Pick<OutgoingRequest, 'system' | 'messages' | 'tools'>;
  /** The request as it would be sent. */
  readonly body: string;
  readonly env: Environment;
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

/** Has the provider count the tokens of a request, or estimates them where it cannot. */
export async function countTokens(counted: CountedRequest): Promise<TokenCount> {
  const tokens = await askProvider(counted).catch((error: unknown) => {
    if (error instanceof ProviderError && MADE_UP_FOR.has(error.code)) return undefined;
    throw error;
  });
  return tokens === undefined ? { tokens: estimate(counted.request), isEstimate: true } : { tokens, isEstimate: false };
}

/** Failures of a count that an estimate makes up for: the request itself may still succeed. */
const MADE_UP_FOR: ReadonlySet<ProviderError['code']> = new Set([
  'not_found',
  'rate_limit',
  'overloaded',
  'server',
  'timeout',
  'connection',
  'not_this_protocol',
]);

async function askProvider({ target, dialect, body, env, key, signal }: CountedRequest): Promise<number | undefined> {
  const { provider, model } = target;
  const counting = serving(dialect).api?.counting;
  // Others that speak the protocol rarely count.
  if (!counting || !provider.connection || provider.id !== dialect.home.id) return undefined;
  const { streamPath: _, ...connection } = provider.connection;
  const { text } = await exchange({
    provider: { ...provider, connection: { ...connection, path: counting.path(connection.path) } },
    model,
    body: counting.toBody(body, model),
    stream: false,
    retry: false,
    ...{ env, key, signal },
  });
  const answer = parseJson(text);
  const tokens = isObject(answer) ? counting.read(answer) : undefined;
  return typeof tokens === 'number' ? tokens : undefined;
}

function estimate({ system, messages, tools }: CountedRequest['request']): number {
  const defined = tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
  return estimateTokens([...system, ...messages]) + Math.ceil(defined / 4);
}
