import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { statusOf } from './status-of.ts';

/** A failure that the client is told of, as `application/problem+json` (RFC 9457) with a code of ours. */
export class Problem extends Error {
  readonly status: ContentfulStatusCode;
  readonly code: string;
  /** What else the client can use, such as the issues of a body. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    status: ContentfulStatusCode,
    code: string,
    detail: string,
    more: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof HTTPException && error.status < 500) return bodyProblem(error);
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const status = statusOf(code);
  if (status !== 'fault') return new Problem(status, String(code), String(message));
  return new Problem(500, 'internal_error', 'Something went wrong in the server; its log says what.');
}

/** A body that is not what its type says, or of another type, found before a route saw it. */
function bodyProblem({ status, message }: HTTPException): Problem {
  if (status === 415)
    return new Problem(
      415,
      'wrong_content_type',
      'Send the body as JSON, with the header content-type: application/json.',
    );
  if (/JSON/.test(message)) return new Problem(400, 'invalid_json', 'The body is not JSON.');
  return new Problem(status as ContentfulStatusCode, 'bad_request', message);
}

export function problemBody({ status, code, message, more }: Problem): string {
  return JSON.stringify({
    type: `https://skein.dev/problems/${code}`,
    title: code.replaceAll('_', ' '),
    status,
    code,
    detail: message,
    ...more,
  });
}

export function problemResponse(c: Context, problem: Problem): Response {
  return c.body(problemBody(problem), problem.status, { 'content-type': 'application/problem+json' });
}
