import { ProtocolError, SdkError, SdkHttpError } from '@modelcontextprotocol/client';

/**
 * `answered`: the server lives and says no. `unsent`: it never saw the request, which can
 * be sent again. `lost`: nobody knows whether it had an effect.
 */
export type Failure = 'answered' | 'unsent' | 'lost';

/** What a request that failed tells. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ProtocolError) return 'answered';
  if (error instanceof SdkHttpError) {
    const { status } = error;
    // 404: a server that was started anew does not know the session.
    if (status === 404) return 'unsent';
    return status !== undefined && status < 500 ? 'answered' : 'lost';
  }
  if (error instanceof SdkError && error.code === 'NOT_CONNECTED') return 'unsent';
  return NEVER_CONNECTED.has(systemCode(error) ?? '') ? 'unsent' : 'lost';
}

const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

function systemCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && typeof cause.code === 'string' && NEVER_CONNECTED.has(cause.code)) return cause.code;
  return undefined;
}
