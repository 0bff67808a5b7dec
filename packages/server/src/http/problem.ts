import type { EngineError, ForestErrorCode, FormatErrorCode, StoreErrorCode } from '@skein/forest';
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

export function toProblem(error: unknown): Problem {
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

/** `fault`: nothing that a client could do something about; the text of such an error stays in the log. */
type Answer = ContentfulStatusCode | 'fault';

type ForestCode = ForestErrorCode | EngineError['code'] | FormatErrorCode | StoreErrorCode;

const OF_FOREST: Readonly<Record<ForestCode, Answer>> = {
  unknown_node: 404,
  unknown_thread: 404,
  unknown_bookmark: 404,
  no_request: 404,
  not_an_id: 400,
  ambiguous_id: 409,
  not_text: 422,
  bad_position: 422,
  empty_text: 422,
  has_system: 422,
  bad_name: 422,
  bad_page: 400,
  bookmarked: 409,
  below_itself: 409,
  not_above: 422,
  unknown_body: 500,
  damaged: 500,
  clock_ahead: 409,

  unknown_generation: 404,
  generation_running: 409,
  nothing_to_resume: 409,
  tools_needed: 409,
  model_needed: 409,
  calls_open: 409,
  bad_event: 400,
  engine_parked: 503,

  unknown_format: 422,
  dialect_needed: 422,
  wrong_shape: 422,
  not_json: 422,
  broken_tree: 422,
  would_overwrite: 409,

  store_cursor: 400,
  store_read_only: 409,
  store_in_use: 409,
  store_full: 507,
  store_closed: 503,
  store_unreachable: 503,
  store_conflict: 503,
  store_failed: 'fault',
  store_refused: 'fault',
  store_name: 'fault',
  store_record: 'fault',
};

const OF_CORE: Readonly<Record<string, Answer>> = {
  invalid_json: 400,
  invalid_model: 422,
  invalid_blocks_message: 422,
  invalid_legacy_message: 422,
  missing_base_url: 422,
  missing_key: 422,
  not_this_protocol: 422,
  unknown_dialect: 422,
  unknown_provider: 422,
  unreadable_messages: 422,
};

/** What is answered to an error with this code. */
function statusOf(code: unknown): Answer {
  if (typeof code !== 'string') return 'fault';
  if (Object.hasOwn(OF_FOREST, code)) return OF_FOREST[code as ForestCode];
  return (Object.hasOwn(OF_CORE, code) && OF_CORE[code]) || 'fault';
}
