import {
  type CallDecision,
  ConversationError,
  type ConversationSnapshot,
  type ConversationTransport,
  reach,
} from './conversation.ts';
import { readEvents } from './read-events.ts';
import {
  applyPart,
  pendingCalls,
  type StreamPart,
  toMessage,
  toParts,
  type UiMessage,
  type UiPart,
} from './ui-messages.ts';

/** Where the route is. */
export interface RouteTransportOptions {
  /** The address of the route, such as `/api/chat`. */
  readonly url: string;
  /** Sent with every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Conversations behind a route of your own that speaks the UI message stream of the AI SDK, such as `chatRoute` of
 * `@skein/forest/ai-sdk`. Such a route tells of no siblings, so `show` is not there.
 *
 * @example
 * const transport = routeTransport({ url: '/api/chat' });
 */
export function routeTransport({ url, headers = {} }: RouteTransportOptions): ConversationTransport {
  /** The messages of each conversation as the route knows them: it gets them back with the next question. */
  const chats = new Map<string, readonly UiMessage[]>();
  const request = (path: string, init: RequestInit = {}) =>
    reach(fetch(url + path, { ...init, headers: { ...headers, 'content-type': 'application/json' } }));
  const place = (id: string) => `/${encodeURIComponent(id)}`;

  async function* open(id: string, _at: string | undefined, signal: AbortSignal): AsyncGenerator<ConversationSnapshot> {
    // Before the messages: an answer that ended between the two would be in neither of them.
    const running = await request(`${place(id)}/stream`, { signal });
    yield* read(id);
    if (running.status !== 204) yield* follow(id, running);
  }

  async function* read(id: string, ended: Partial<ConversationSnapshot> = {}): AsyncGenerator<ConversationSnapshot> {
    const { messages } = (await (await request(place(id))).json()) as { readonly messages: readonly UiMessage[] };
    chats.set(id, messages);
    const pending = pendingCalls(messages);
    const status = pending.length > 0 ? 'waiting' : 'ready';
    yield { id, messages: messages.map((one) => toMessage(one, false)), pending, status, ...ended };
  }

  /** Tells an answer as it arrives, then what was stored of it. */
  async function* follow(id: string, response: Response): AsyncGenerator<ConversationSnapshot> {
    const before = chats.get(id) ?? [];
    let live: UiMessage = { id: 'live', role: 'assistant', parts: [] };
    let ended: Partial<ConversationSnapshot> = {};
    for await (const events of readEvents(response)) {
      for (const event of events) {
        if (event === '[DONE]') continue;
        const arrived = JSON.parse(event) as StreamPart;
        // An answer that was approved continues its message.
        if (arrived.type === 'start')
          live = before.find((one) => one.id === arrived.messageId) ?? { ...live, id: arrived.messageId ?? live.id };
        if (arrived.type === 'abort') ended = { status: 'stopped' };
        if (arrived.type === 'error')
          ended = {
            status: 'failed',
            error: new ConversationError('provider', arrived.errorText ?? 'The answer failed.'),
          };
        live = { ...live, parts: applyPart(live.parts, arrived) };
      }
      const whole = before.filter((one) => one.id !== live.id).map((one) => toMessage(one, false));
      const messages = live.parts.length === 0 ? whole : [...whole, toMessage(live, true)];
      yield { id, messages, pending: [], status: 'streaming' };
    }
    yield* read(id, ended);
  }

  async function* post(
    id: string,
    messages: readonly UiMessage[],
    trigger: 'submit-message' | 'regenerate-message',
    signal: AbortSignal,
  ): AsyncGenerator<ConversationSnapshot> {
    const body = JSON.stringify({ id, messages, trigger });
    const response = await request('', { method: 'POST', body, signal });
    chats.set(id, messages);
    yield* follow(id, response);
  }

  /** The messages before one. */
  const before = (id: string, message: string): readonly UiMessage[] => {
    const messages = chats.get(id) ?? [];
    return messages.slice(
      0,
      Math.max(
        0,
        messages.findIndex((one) => one.id === message),
      ),
    );
  };
  const question = (parts: readonly UiPart[]): UiMessage => ({ id: crypto.randomUUID(), role: 'user', parts });

  return {
    open,
    send: ({ id = crypto.randomUUID() }, blocks, signal) =>
      post(id, [...(chats.get(id) ?? []), question(toParts(blocks))], 'submit-message', signal),
    edit: ({ id = '' }, message, text, signal) =>
      post(id, [...before(id, message), question([{ type: 'text', text }])], 'submit-message', signal),
    regenerate: ({ id = '' }, message, signal) => post(id, before(id, message), 'regenerate-message', signal),
    resume({ id = '' }, decisions, signal) {
      const messages = chats.get(id) ?? [];
      const decided = messages.map((one, index) =>
        index === messages.length - 1 ? { ...one, parts: one.parts.map((part) => decide(part, decisions)) } : one,
      );
      return post(id, decided, 'submit-message', signal);
    },
    async stop({ id = '' }) {
      await request(`${place(id)}/stream`, { method: 'DELETE' });
    },
  };
}

function decide(part: UiPart, decisions: Readonly<Record<string, CallDecision>>): UiPart {
  const { toolCallId = '' } = part;
  const decision = decisions[toolCallId];
  if (decision === undefined) return part;
  if (decision !== 'approve' && 'result' in decision)
    return { ...part, state: 'output-available', output: decision.result };
  const approval = { id: part.approval?.id ?? toolCallId };
  return decision === 'approve'
    ? { ...part, state: 'approval-responded', approval: { ...approval, approved: true } }
    : { ...part, state: 'approval-responded', approval: { ...approval, approved: false, reason: decision.deny } };
}
