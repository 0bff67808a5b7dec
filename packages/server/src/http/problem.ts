import { isSkeinError, SkeinError, type SkeinErrorCode } from '@skein/core';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** `fault`: the client can do nothing about it, so it is told nothing; the error's text goes to the log. */
type Status = ContentfulStatusCode | 'fault';

/** The HTTP status of every error, by its code. */
const STATUSES: Readonly<Record<SkeinErrorCode, Status>> = {
  bad_request: 400,
  bad_message: 422,
  bad_model: 422,
  unknown_agent: 422,
  unknown_tool: 422,
  unknown_exchange: 404,
  no_such_route: 404,
  wrong_content_type: 415,
  too_large: 413,
  wrong_host: 421,
  wrong_origin: 403,
  token_needed: 401,
  too_many_attempts: 429,
  internal_error: 500,
  usage: 'fault',

  bad_header: 400,
  bad_path: 400,
  needs_a_socket: 501,
  proxy_loop: 508,
  undecodable: 415,

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

  recording_waits: 'fault',
  recording_lost: 'fault',

  sync_refused: 422,
  sync_version: 409,

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

  // Failures of a provider, of a run or of the server's own set-up.
  authentication: 'fault',
  permission: 'fault',
  quota: 'fault',
  not_found: 'fault',
  rate_limit: 'fault',
  overloaded: 'fault',
  context_length: 'fault',
  conflict: 'fault',
  invalid_request: 'fault',
  server: 'fault',
  timeout: 'fault',
  connection: 'fault',
  aborted: 'fault',
  stream_error: 'fault',
  no_model: 'fault',
  nothing_to_send: 'fault',
  would_lose: 'fault',
  invalid_configuration: 'fault',
  invalid_output: 'fault',
  no_answer: 'fault',
  failed: 'fault',
  delta_not_applied: 'fault',
  invalid_conversation_state: 'fault',
  unsupported_state_version: 'fault',
  provider_mismatch: 'fault',
  message_unmarshal_failed: 'fault',
  invalid_agent: 'fault',
  outside_folder: 'fault',
  address_refused: 'fault',
  unreadable_cassette: 422,
  secret_in_cassette: 'fault',
};

/** An error that is answered as `application/problem+json` (RFC 9457). */
export class Problem extends SkeinError {
  override readonly name = 'Problem';
  readonly code: SkeinErrorCode;
  readonly status: ContentfulStatusCode;
  /** Further members of the answer, such as the issues of a body. */
  readonly more: Readonly<Record<string, unknown>>;

  /** `status` is that of the code, unless it is given. */
  constructor(
    code: SkeinErrorCode,
    detail: string,
    {
      status,
      more = {},
    }: { readonly status?: ContentfulStatusCode; readonly more?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(detail);
    const usual = STATUSES[code];
    this.code = code;
    this.status = status ?? (usual === 'fault' ? 500 : usual);
    this.more = more;
  }
}

/** The answer to any error. What the client cannot do anything about becomes an `internal_error` without details. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof HTTPException && error.status < 500) return toBodyProblem(error);
  if (isSkeinError(error) && (STATUSES[error.code] ?? 'fault') !== 'fault')
    return new Problem(error.code, error.message);
  return new Problem('internal_error', 'Something went wrong in the server; its log says what.');
}

/** Hono found the body to be of another type than the route takes, or to be no JSON. */
function toBodyProblem({ status, message }: HTTPException): Problem {
  if (status === 415)
    return new Problem('wrong_content_type', 'Send the body as JSON, with the header content-type: application/json.');
  if (/JSON/.test(message)) return new Problem('invalid_json', 'The body is not JSON.');
  return new Problem('bad_request', message, { status: status as ContentfulStatusCode });
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
