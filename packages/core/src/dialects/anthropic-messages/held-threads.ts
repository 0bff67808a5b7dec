import { isObject, type JsonObject } from '../../json/index.ts';
import type { KeptRefusal, ServedHistories } from '../serve.ts';

/** Members that a request of a thread cannot have. */
const UNSUPPORTED = ['context_management', 'fallbacks'];
/** Members that all requests of a thread have in common (`thread-fingerprint`). */
const FIXED = ['model', 'thinking', 'tool_choice', 'cache_control', 'output_config'];
/** Members that later requests leave out, or repeat. */
const REPEATED = ['system', 'tools'];

/** Message threads as a gateway holds them. A response may be continued more than once: each time, a branch begins. */
export const heldThreads: ServedHistories = {
  missing: (_what, id) => ({
    status: 404,
    word: 'thread_not_found',
    message: `No thread state was found for previous_message_id '${id}'.`,
  }),
  refuse(request, previous) {
    if (!isObject(request.thread)) return undefined;
    const unsupported = UNSUPPORTED.filter((name) => request[name] !== undefined);
    if (unsupported.length > 0)
      return refusal('thread_unsupported_request', `thread: not supported together with ${unsupported.join(', ')}`);
    if (!previous) return undefined;
    const differing = [
      ...FIXED.filter((name) => differs(request, previous, name)),
      ...REPEATED.filter((name) => request[name] !== undefined && differs(request, previous, name)),
    ];
    if (differing.length === 0) return undefined;
    const fields = differing.join(', ');
    return refusal(
      'thread_fingerprint_mismatch',
      `The request does not match the thread that it continues: differing field(s): ${fields}`,
    );
  },
};

function refusal(word: string, message: string): KeptRefusal {
  return { status: 400, word, message };
}

function differs(a: JsonObject, b: JsonObject, name: string): boolean {
  return JSON.stringify(a[name]) !== JSON.stringify(b[name]);
}
