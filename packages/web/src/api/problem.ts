import { SkeinError, type SkeinErrorCode } from '@skein/core';
import { t } from '../words/words.ts';

/** The server refused a request, or did not answer: `status` is 0 and `code` is `connection` then. */
export class ApiProblem extends SkeinError {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: SkeinErrorCode;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    // A newer server may send a code that this page does not know. It equals none of those that the page asks for.
    this.code = code as SkeinErrorCode;
  }
}

/** Whether the server answered that there is no such thing. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404;
}

/** Whether the server refused a request in a way that sending it again does not change. */
export function isRefused(error: unknown): boolean {
  return error instanceof ApiProblem && error.status >= 400 && error.status < 500;
}

/** Turns a failed connection into a problem that says what to do. */
export async function reach<R>(sent: Promise<R>): Promise<R> {
  try {
    return await sent;
  } catch {
    throw new ApiProblem(0, 'connection', t('api.unreachable'));
  }
}

/** Reads the problem from a response, also for requests that the typed client cannot send, such as files. */
export async function readProblem(response: Pick<Response, 'status' | 'json'>): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  return new ApiProblem(
    response.status,
    body.code ?? 'failed',
    body.detail ?? t('api.status', { status: response.status }),
  );
}
