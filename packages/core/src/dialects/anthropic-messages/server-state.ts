import { isObject } from '../../json/index.ts';
import type { ServerState } from '../dialect.ts';

/** The API forgot the response, has continued it already, or is doing so: a new thread gets the whole history. */
const LOST: readonly unknown[] = [
  'thread_not_found',
  'thread_already_continued',
  'thread_continue_in_flight',
  'thread_fingerprint_mismatch',
];

/** Message threads: the API keeps a conversation for five minutes under the id of its last response. */
export const serverState: ServerState = {
  members: (previous) => ({
    thread: previous === undefined ? { type: 'create' } : { type: 'continue', previous_message_id: previous },
  }),
  keeps: ['system', 'tools'],
  headers: { 'anthropic-beta': 'message-threads-2026-08-12' },
  recovery(_status, { details }) {
    const code = isObject(details) ? details.error_code : undefined;
    if (code === 'thread_unsupported_request') return 'stateless';
    return LOST.includes(code) ? 'again' : undefined;
  },
};
