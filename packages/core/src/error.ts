/**
 * What can go wrong with a request to a provider. `quota`: the account is out of credit, so waiting does not help;
 * `stream_error`: the reply is not the stream that was asked for, or the stream reports an error without saying which;
 * `not_this_protocol`: the reply has a good status, but cannot be read.
 */
export type ProviderErrorCode =
  | 'authentication'
  | 'permission'
  | 'quota'
  | 'not_found'
  | 'rate_limit'
  | 'overloaded'
  | 'context_length'
  | 'conflict'
  | 'invalid_request'
  | 'server'
  | 'timeout'
  | 'connection'
  | 'aborted'
  | 'stream_error'
  | 'not_this_protocol';

/** Why a forest refuses an operation. */
export type ForestErrorCode =
  | 'unknown_node'
  | 'ambiguous_id'
  | 'not_an_id'
  | 'unknown_thread'
  | 'unknown_bookmark'
  | 'not_text'
  | 'empty_text'
  | 'has_system'
  | 'bad_name'
  | 'bad_page'
  | 'bad_position'
  | 'bookmarked'
  | 'below_itself'
  | 'not_above'
  | 'no_request'
  | 'unknown_body'
  | 'damaged'
  | 'clock_ahead';

/** Why an engine refuses an operation. */
export type EngineErrorCode =
  | 'unknown_generation'
  | 'generation_running'
  | 'nothing_to_resume'
  | 'tools_needed'
  | 'model_needed'
  | 'calls_open'
  | 'bad_event'
  | 'engine_parked';

/**
 * Every code that an error of Skein can have. The list is closed: the server's table of HTTP statuses has an entry for
 * each, and the compiler says which one is missing.
 */
export type SkeinErrorCode =
  | ProviderErrorCode
  // a question that cannot be asked
  | 'missing_key'
  | 'missing_base_url'
  | 'unknown_provider'
  | 'unknown_dialect'
  | 'invalid_model'
  | 'no_model'
  | 'nothing_to_send'
  | 'would_lose'
  | 'invalid_configuration'
  // an answer that is not what was asked for
  | 'invalid_output'
  | 'no_answer'
  | 'failed'
  // text, messages and states that cannot be read
  | 'invalid_json'
  | 'invalid_blocks_message'
  | 'invalid_legacy_message'
  | 'unreadable_messages'
  | 'delta_not_applied'
  | 'invalid_conversation_state'
  | 'unsupported_state_version'
  | 'provider_mismatch'
  | 'message_unmarshal_failed'
  | ForestErrorCode
  | EngineErrorCode
  // imports and exports
  | 'unknown_format'
  | 'dialect_needed'
  | 'wrong_shape'
  | 'not_json'
  | 'broken_tree'
  | 'would_overwrite'
  // cassettes
  | 'unreadable_cassette'
  | 'secret_in_cassette'
  // stores
  | 'store_full'
  | 'store_failed'
  | 'store_read_only'
  | 'store_in_use'
  | 'store_closed'
  | 'store_name'
  | 'store_record'
  | 'store_cursor'
  | 'store_unreachable'
  | 'store_refused'
  | 'store_conflict'
  // recordings
  | 'recording_waits'
  | 'recording_lost'
  // forests that meet
  | 'sync_refused'
  | 'sync_version'
  // agents and their tools
  | 'invalid_agent'
  | 'outside_folder'
  | 'address_refused'
  // the command line and the server
  | 'usage'
  | 'bad_request'
  | 'bad_message'
  | 'bad_model'
  | 'unknown_agent'
  | 'unknown_tool'
  | 'unknown_exchange'
  | 'no_such_route'
  | 'wrong_content_type'
  | 'too_large'
  | 'wrong_host'
  | 'wrong_origin'
  | 'token_needed'
  | 'too_many_attempts'
  | 'internal_error'
  // the proxy
  | 'bad_header'
  | 'bad_path'
  | 'needs_a_socket'
  | 'proxy_loop'
  | 'undecodable';

/** The same symbol in every copy of this package, so that a copy recognises the errors of another. */
const MARK = Symbol.for('skein.error');

/**
 * The base of every error that Skein throws on purpose. `code` says what went wrong and never changes its meaning;
 * the message says where, and what to do about it.
 *
 * @example
 * try {
 *   await run({ model, messages });
 * } catch (error) {
 *   if (isSkeinError(error, 'rate_limit', 'overloaded')) await later();
 *   else throw error;
 * }
 */
export abstract class SkeinError extends Error {
  abstract readonly code: SkeinErrorCode;
  get [MARK](): true {
    return true;
  }
}

/**
 * Whether a value is an error of Skein, of this or another copy of the package, and has one of the codes if some are
 * given.
 *
 * @example
 * if (isSkeinError(error, 'rate_limit', 'overloaded')) await later();
 */
export function isSkeinError<Code extends SkeinErrorCode = SkeinErrorCode>(
  value: unknown,
  ...codes: readonly Code[]
): value is SkeinError & { readonly code: Code } {
  if (!(value instanceof Error) || !(MARK in value)) return false;
  return codes.length === 0 || codes.includes((value as unknown as { code: Code }).code);
}
