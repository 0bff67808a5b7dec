/** Anthropic's message threads: conversations that the server keeps under the id of their last response. */

import { isDeepStrictEqual } from 'node:util';
import { asText, isObject, type Json, objects } from '../json.ts';
import type { Denial } from './access.ts';
import type { HeaderMap } from './state.ts';

/** A conversation up to and including one response. */
interface StoredThread {
  /** The key that created it: another key does not find it. */
  readonly key: string;
  readonly fixed: Fingerprint;
  /** The request that led to the response, complete. */
  readonly body: Json;
  readonly reply: Json;
  readonly stop: string;
  readonly used: number;
  readonly state: 'idle' | 'in-flight' | 'continued';
}

/** What all requests of a thread have in common, by the names of the fields. */
type Fingerprint = Readonly<Record<string, unknown>>;

/** The threads that one deployment keeps, by the ids of their responses. */
export type ThreadStore = Map<string, StoredThread>;

/** A request to a thread, completed from what is stored. */
export interface ThreadTurn {
  readonly body: Json;
  /**
   * Called once: with the reply when all of it was sent, with `failed` when there was none, and with `broken` when the
   * connection broke. A client cannot know whether a broken turn counted; the stricter answer is that it did.
   */
  end(outcome: Json | 'failed' | 'broken'): void;
}

interface ThreadRequest {
  readonly body: Json;
  readonly headers: HeaderMap;
  readonly key: string;
  readonly now: number;
}

const BETA = 'message-threads-2026-08-12';
const LIFETIME_MS = 5 * 60 * 1000;
const MOST_BREAKPOINTS = 4;
/** Fields that a request of a thread cannot have. */
const UNSUPPORTED = ['context_management', 'fallbacks'] as const;
/** Fields that must stay the same; `system` and `tools` may be left out. */
const FIXED = ['model', 'thinking', 'tool_choice', 'cache_control', 'output_config'] as const;
const CREATED_WITH = ['system', 'tools'] as const;
const UNFINISHED = ['pause_turn', 'compaction'];

/** Completes a request of a thread, or says why it cannot be. Undefined for a request without one. */
export function openThread(store: ThreadStore, request: ThreadRequest): Denial | ThreadTurn | undefined {
  const { body, headers } = request;
  const { thread } = body;
  if (!isObject(thread)) return undefined;
  if (!readBetas(headers).includes(BETA))
    return { id: 'thread-beta', error: { status: 400, message: 'thread: Extra inputs are not permitted' } };
  const unsupported = findUnsupported(body);
  if (unsupported.length > 0)
    return deny('thread-unsupported', 'thread_unsupported_request', wordsFor(unsupported, body), { unsupported });
  const id = asText(thread.previous_message_id);
  if (thread.type !== 'continue' || id === undefined) return begin(store, request);
  return goOn(store, request, id);
}

function begin(store: ThreadStore, { body, headers, key, now }: ThreadRequest): ThreadTurn {
  const { thread: _, ...rest } = body;
  const fixed = fingerprint(body, headers);
  return { body: rest, end: (outcome) => keep(store, { key, fixed, body: rest, used: now }, outcome) };
}

function goOn(store: ThreadStore, { body, headers, key, now }: ThreadRequest, id: string): Denial | ThreadTurn {
  const found = store.get(id);
  if (found && now - found.used > LIFETIME_MS) store.delete(id);
  if (!found || found.key !== key || now - found.used > LIFETIME_MS)
    return deny('thread-not-found', 'thread_not_found', `No thread state was found for previous_message_id '${id}'.`);
  if (found.state === 'continued')
    return deny('thread-continued', 'thread_already_continued', `Message '${id}' has already been continued.`);
  if (found.state === 'in-flight')
    return deny('thread-in-flight', 'thread_continue_in_flight', `Message '${id}' is being continued.`);
  const given = fingerprint(body, headers);
  const differing = [
    ...Object.keys(found.fixed).filter((name) => !isDeepStrictEqual(found.fixed[name], given[name])),
    ...CREATED_WITH.filter((name) => body[name] !== undefined && !isDeepStrictEqual(body[name], found.body[name])),
  ];
  if (differing.length > 0)
    return deny(
      'thread-fingerprint',
      'thread_fingerprint_mismatch',
      `The request does not match the thread that it continues: differing field(s): ${differing.join(', ')}`,
    );
  const added = objects(body.messages);
  if (added.length === 0 && !UNFINISHED.includes(found.stop))
    return { id: 'no-messages', error: { status: 400, message: 'messages: at least one message is required' } };
  const { thread: _, messages: _new, ...rest } = body;
  const whole: Json = {
    ...rest,
    ...Object.fromEntries(CREATED_WITH.flatMap((name) => (name in found.body ? [[name, found.body[name]]] : []))),
    messages: [...objects(found.body.messages), { role: 'assistant', content: found.reply.content }, ...added],
  };
  store.set(id, { ...found, state: 'in-flight', used: now });
  return {
    body: whole,
    end(outcome) {
      store.set(id, { ...found, state: outcome === 'failed' ? 'idle' : 'continued', used: now });
      keep(store, { key, fixed: found.fixed, body: whole, used: now }, outcome);
    },
  };
}

/** Stores a conversation. A refusal is forgotten, and so is what a fallback model wrote. */
function keep(
  store: ThreadStore,
  thread: Pick<StoredThread, 'key' | 'fixed' | 'body' | 'used'>,
  reply: Json | 'failed' | 'broken',
): void {
  if (typeof reply === 'string') return;
  const stop = asText(reply.stop_reason);
  const id = asText(reply.id);
  const usage = isObject(reply.usage) ? reply.usage : {};
  const isFallback = objects(usage.iterations).some(({ type }) => type === 'fallback_message');
  if (id === undefined || stop === undefined || stop === 'refusal' || isFallback) return;
  store.set(id, { ...thread, reply, stop, state: 'idle' });
}

function readBetas({ 'anthropic-beta': betas = '' }: HeaderMap): string[] {
  return betas
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '')
    .sort();
}

function fingerprint(body: Json, headers: HeaderMap): Fingerprint {
  return { ...Object.fromEntries(FIXED.map((name) => [name, body[name]])), 'anthropic-beta': readBetas(headers) };
}

function findUnsupported(body: Json): string[] {
  const named = UNSUPPORTED.filter((name) => body[name] !== undefined && body[name] !== null);
  return countBreakpoints(body) > MOST_BREAKPOINTS ? [...named, 'cache_control'] : [...named];
}

function countBreakpoints(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countBreakpoints(item), 0);
  if (!isObject(value)) return 0;
  const own = isObject(value.cache_control) ? 1 : 0;
  return Object.values(value).reduce<number>((sum, item) => sum + countBreakpoints(item), own);
}

function wordsFor(unsupported: readonly string[], body: Json): string {
  if (unsupported.at(-1) === 'cache_control')
    return `thread: a maximum of ${MOST_BREAKPOINTS} blocks with cache_control may be provided when thread is set. Found ${countBreakpoints(body)}.`;
  return `thread: not supported together with ${unsupported.join(', ')}`;
}

function deny(id: string, code: string, message: string, details: Json = {}): Denial {
  const status = code === 'thread_not_found' ? 404 : 400;
  return { id, error: { status, message, details: { error_code: code, ...details } } };
}
