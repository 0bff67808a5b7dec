import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

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

/** By the code of the error; anything else is a fault of ours, and its text stays in the log. */
const STATUS_OF: Readonly<Record<string, ContentfulStatusCode>> = {
  unknown_node: 404,
  unknown_thread: 404,
  unknown_bookmark: 404,
  unknown_generation: 404,
  unknown_exchange: 404,
  no_request: 404,
  not_an_id: 400,
  ambiguous_id: 409,
  not_text: 422,
  bad_position: 422,
  empty_text: 422,
  has_system: 422,
  bad_name: 422,
  bad_page: 400,
  store_cursor: 400,
  invalid_json: 400,
  invalid_model: 422,
  not_this_protocol: 422,
  unreadable_messages: 422,
  bookmarked: 409,
  below_itself: 409,
  not_above: 422,
  generation_running: 409,
  nothing_to_resume: 409,
  bad_event: 400,
  engine_parked: 503,
  calls_open: 409,
  unknown_provider: 422,
  bad_model: 422,
  missing_key: 422,
  missing_base_url: 422,
  invalid_blocks_message: 422,
  invalid_legacy_message: 422,
  unknown_format: 422,
  unknown_dialect: 422,
  dialect_needed: 422,
  wrong_shape: 422,
  not_json: 422,
  broken_tree: 422,
  unreadable: 422,
  store_read_only: 409,
  store_full: 507,
  store_closed: 503,
};

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // A body that is not what its type says, found while it was read.
  if (error instanceof HTTPException && error.status < 500)
    return new Problem(error.status as ContentfulStatusCode, 'bad_request', error.message);
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const status = typeof code === 'string' ? STATUS_OF[code] : undefined;
  if (status !== undefined) return new Problem(status, String(code), String(message));
  return new Problem(500, 'internal_error', 'Something went wrong in the server; its log says what.');
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
