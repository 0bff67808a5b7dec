import { client, type GenerationEvent } from '@skein/server/client';
import { ConversationError, type ConversationSnapshot, type ConversationTransport, reach } from './conversation.ts';
import { LiveAnswer } from './live-answer.ts';
import { readEvents } from './read-events.ts';
import {
  findLeaf,
  type LastAnswer,
  readThread,
  type SkeinApi,
  type ThreadView,
  toSnapshot,
  unwrap,
} from './read-thread.ts';

/** Where the server is, and what its models are asked with. */
export interface HttpTransportOptions {
  /** The address of the server, without `/api/v1`. Default: where the page is from. */
  readonly url?: string;
  /** Sent with every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The system text of new conversations. */
  readonly system?: string;
  /** The model, agent, tools and parameters. What is not given is as in the last request of the conversation. */
  readonly request?: RequestOptions;
}

type RequestOptions = Omit<Parameters<SkeinApi['generations']['$post']>[0]['json'], 'node' | 'thread' | 'n' | 'again'>;

interface Question {
  readonly thread: string;
  readonly node: string;
  readonly again?: boolean;
}

/** The wait before a lost connection is made again, in milliseconds. */
const RECONNECT_MS = 1000;

/**
 * Conversations of a Skein server, over its HTTP API.
 *
 * @example
 * const transport = httpTransport({ request: { model: 'anthropic/claude-sonnet-5' } });
 */
export function httpTransport(options: HttpTransportOptions = {}): ConversationTransport {
  const { url = '', headers = {}, system, request = {} } = options;
  const api = client(url, { headers: { ...headers } });

  /** An answer that was just started is followed even if it has ended before the conversation is read. */
  async function* open(
    id: string,
    at: string | undefined,
    signal: AbortSignal,
    started?: LastAnswer,
  ): AsyncGenerator<ConversationSnapshot> {
    let [thread, end, answer] = [id, at, started];
    while (!signal.aborted) {
      const read = await readThread(api, thread, end);
      answer ??= read.answer?.generation.status === 'running' ? read.answer : undefined;
      if (!answer) return yield toSnapshot(read);
      yield* follow({ ...read, answer }, signal);
      if (signal.aborted) return;
      const { generation, branch } = answer;
      const now = await patiently(signal, () =>
        unwrap(api.generations[':generation'].$get({ param: { generation: generation.id } })),
      );
      [thread, end, answer] = [now.thread ?? thread, now.branches[branch]!.head, undefined];
    }
  }

  /** Tells an answer until its events end, or the connection does. */
  async function* follow(view: ThreadView, signal: AbortSignal): AsyncGenerator<ConversationSnapshot> {
    const live = new LiveAnswer(view, (node) => unwrap(api.nodes[':node'].$get({ param: { node }, query: {} })));
    yield live.snapshot();
    const address = `${url}/api/v1/generations/${view.answer!.generation.id}/events`;
    try {
      const response = await reach(fetch(address, { headers: { ...headers }, signal }));
      for await (const events of readEvents(response)) {
        for (const event of events) await live.apply(JSON.parse(event) as GenerationEvent);
        yield live.snapshot();
      }
    } catch (error) {
      if (!isLost(error)) throw error;
    }
  }

  async function* ask({ thread, node, again }: Question, signal: AbortSignal): AsyncGenerator<ConversationSnapshot> {
    const json = { ...request, thread, node, ...(again && { again }) };
    const generation = await unwrap(api.generations.$post({ json }));
    yield* open(generation.thread ?? thread, node, signal, { generation, branch: 0 });
  }

  return {
    open,

    async *send({ id, messages: before }, blocks, signal) {
      const message = { role: 'user' as const, content: [...blocks] };
      if (id === undefined) {
        const opening =
          system === undefined ? [] : [{ role: 'system' as const, content: [{ type: 'text', text: system }] }];
        const begun = await unwrap(api.threads.$post({ json: { messages: [...opening, message] } }));
        return yield* ask({ thread: begun.id, node: begun.head }, signal);
      }
      const at = before.findLast(({ isLive }) => !isLive)?.id;
      const json = { messages: [message], ...(at !== undefined && { at }) };
      const { thread, node } = await unwrap(api.threads[':thread'].messages.$post({ param: { thread: id }, json }));
      yield* ask({ thread: thread.id, node: node.id }, signal);
    },

    async *edit({ id = '' }, message, text, signal) {
      const json = { text, thread: id };
      const made = await unwrap(api.nodes[':node'].edit.$post({ param: { node: message }, json }));
      yield* ask({ thread: made.thread ?? id, node: made.id }, signal);
    },

    async *regenerate({ id = '' }, message, signal) {
      const { parent } = await unwrap(api.nodes[':node'].$get({ param: { node: message }, query: {} }));
      yield* ask({ thread: id, node: parent, again: true }, signal);
    },

    async *resume({ id = '', answer, messages }, decisions, signal) {
      const param = { generation: readAnswer(answer) };
      const json = { approvals: { ...decisions } };
      const at = messages.at(-1)?.id;
      const generation = await unwrap(api.generations[':generation'].resume.$post({ param, json }));
      const branch = generation.branches.findIndex(({ head }) => head === at);
      yield* open(id, at, signal, { generation, branch: Math.max(0, branch) });
    },

    async stop({ answer }) {
      await unwrap(api.generations[':generation'].stop.$post({ param: { generation: readAnswer(answer) } }));
    },

    async *show({ id = '' }, message, signal) {
      yield* open(id, await findLeaf(api, id, message), signal);
    },
  };
}

function readAnswer(answer: string | undefined): string {
  if (answer !== undefined) return answer;
  throw new ConversationError('nothing_to_resume', 'No answer runs or waits in this conversation.');
}

function isLost(error: unknown): boolean {
  return error instanceof ConversationError && error.code === 'connection';
}

/** Repeats what a lost connection prevents. */
async function patiently<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLost(error) || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  }
}
