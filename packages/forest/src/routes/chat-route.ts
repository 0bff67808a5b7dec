import { type FunctionTool, isSkeinError, type ToolUseBlock } from '@skein/core';
import type { TurnEvent } from '@skein/core/ui';
import {
  continueTools,
  createEngine,
  type Engine,
  type GenerateOptions,
  type GenerationState,
} from '../engine/index.ts';
import type { Forest, ForestNode } from '../forest/index.ts';
import { findThread, lastEnd, type PostedTurn, refusal, type StartedTurn, startTurn } from './turn.ts';

/** How a route answers: the options of a generation, and what belongs to a page. */
export interface ChatRouteOptions
  extends Omit<GenerateOptions, 'n' | 'again' | 'thread' | 'available' | 'signal' | 'label'> {
  /** The system text of new conversations. A conversation keeps the one that it began with. */
  readonly system?: string;
  /** Tools that run in the page: the model may call them, and the page posts the result. */
  readonly clientTools?: readonly FunctionTool[];
  /** The thread of this chat. Default: the id that the page gave to the chat. Put the user into it, so that nobody reads another's. */
  readonly thread?: string;
  /** Whether the answer stops when the page goes away. Default: false, so that a page can be reloaded. */
  readonly stopOnCancel?: boolean;
}

/** The request that a route answers, for options that depend on it. */
export interface ChatRequest {
  readonly chat: string;
  readonly request: Request;
}

/** Options, or a function that returns them. It may throw a `Response` to refuse the request. */
export type ChatRouteSettings =
  | ChatRouteOptions
  | ((request: ChatRequest) => ChatRouteOptions | Promise<ChatRouteOptions>);

/** Answers requests of a page. It fits every framework that hands over a `Request`. */
export type ChatRoute = (request: Request) => Promise<Response>;

/** Writes a turn for one kind of page. */
export interface TurnWriter {
  start(): Iterable<string>;
  write(event: TurnEvent): Iterable<string>;
  fail(message: string): Iterable<string>;
  /** What comes last, however the turn ended. */
  end(): Iterable<string>;
}

/** What a kind of page posts and reads. */
export interface ChatProtocol {
  readonly headers: Readonly<Record<string, string>>;
  /** Throws a refusal for what is no such request. */
  readTurn(body: string): PostedTurn;
  writeTurn(turn: StartedTurn & { readonly chat: string; readonly run: string }): TurnWriter;
  writeMessages(nodes: readonly ForestNode[], context: StoredContext): readonly object[];
}

/** What is known of a stored conversation beside its nodes. */
export interface StoredContext {
  /** The calls that wait, by id: for approval, or for a tool of the page. */
  readonly pending: ReadonlyMap<string, 'approval' | 'page'>;
}

/**
 * Makes a route of a protocol: `POST` answers, `GET …/<chat>/stream` continues the answer that is running (204 if none is),
 * `DELETE …/<chat>/stream` stops it, and `GET …/<chat>` returns the messages.
 */
export function createChatRoute(forest: Forest, settings: ChatRouteSettings, protocol: ChatProtocol): ChatRoute {
  const engine = createEngine(forest);
  const parts = { forest, engine, protocol };
  const open = async (chat: string, request: Request): Promise<OpenChat> => {
    const options = typeof settings === 'function' ? await settings({ chat, request }) : settings;
    return { ...parts, chat, request, options, thread: options.thread ?? chat };
  };
  return async (request) => {
    try {
      if (request.method === 'POST') {
        const turn = protocol.readTurn(await request.text());
        return await answer(await open(turn.chat, request), turn);
      }
      const { chat, isStream } = readPlace(request.url);
      const opened = await open(chat, request);
      if (request.method === 'GET') return isStream ? await rejoin(opened) : await readMessages(opened);
      if (request.method !== 'DELETE') throw refusal(405, 'Use POST, GET or DELETE.');
      const running = await findRunning(opened);
      if (running) await engine.stop(running.id);
      return new Response(null, { status: 204 });
    } catch (error) {
      if (error instanceof Response) return error;
      if (isSkeinError(error, 'bad_name')) return refusal(400, error.message);
      if (isSkeinError(error, 'generation_running')) return refusal(409, error.message);
      throw error;
    }
  };
}

interface OpenChat {
  readonly forest: Forest;
  readonly engine: Engine;
  readonly protocol: ChatProtocol;
  readonly chat: string;
  readonly thread: string;
  readonly request: Request;
  readonly options: ChatRouteOptions;
}

/** `…/<chat>` or `…/<chat>/stream`. */
function readPlace(url: string): { readonly chat: string; readonly isStream: boolean } {
  const names = new URL(url).pathname.split('/').filter((name) => name !== '');
  const isStream = names.at(-1) === 'stream';
  const name = names.at(isStream ? -2 : -1);
  try {
    if (name !== undefined) return { chat: decodeURIComponent(name), isStream };
  } catch {
    // Not a name.
  }
  throw refusal(400, 'The address names no chat: it ends with the id of one, and "/stream" for its running answer.');
}

async function answer(opened: OpenChat, turn: PostedTurn): Promise<Response> {
  const { system, clientTools = [], thread: _thread, stopOnCancel: _stop, tools = [], ...rest } = opened.options;
  const inPage = [...clientTools, ...turn.tools];
  const options = { ...rest, tools: [...tools, ...continueTools(inPage)] };
  const started = await startTurn(opened, turn, { system, options });
  return stream(opened, started, turn);
}

async function rejoin(opened: OpenChat): Promise<Response> {
  const running = await findRunning(opened);
  if (!running) return new Response(null, { status: 204 });
  const after = (await lastEnd(opened.forest, running.id))?.event;
  return stream(opened, { generation: running.id, ...(after !== undefined && { after }) }, { tools: [] });
}

async function readMessages(opened: OpenChat): Promise<Response> {
  const { forest, engine, thread: id, protocol } = opened;
  // Before the head: an answer that ended between the two would be neither running nor stored.
  const running = await findRunning(opened);
  const thread = await findThread(forest, id);
  if (!thread) return Response.json({ messages: [] });
  // What is running is told by the stream.
  const head = running ? ((await lastEnd(forest, running.id))?.head ?? running.node) : thread.head;
  const nodes = await forest.path(head);
  const [generation] = nodes.at(-1)?.takes.flatMap((take) => take.generation ?? []) ?? [];
  const state = generation === undefined || running ? undefined : await engine.get(generation);
  const inPage = new Set(opened.options.clientTools?.map(({ name }) => name));
  const calls = state?.branches[0]?.pending ?? [];
  const pending = new Map(calls.map((call) => [call.id, inPage.has(call.name) ? 'page' : 'approval'] as const));
  return Response.json({ messages: protocol.writeMessages(nodes, { pending }) });
}

/** The generation that is running at the head of the conversation, or just above it. */
async function findRunning({ forest, engine, thread: id }: OpenChat): Promise<GenerationState | undefined> {
  const thread = await findThread(forest, id);
  if (!thread) return undefined;
  const path = await forest.path(thread.head);
  for (const { id: node, role } of path.toReversed()) {
    let after: string | undefined;
    do {
      const page = await engine.list({ node, ...(after !== undefined && { after }) });
      const found = page.items.findLast((state) => state.thread === id && state.status === 'running');
      if (found) return found;
      after = page.next;
    } while (after !== undefined);
    if (role === 'user') return undefined;
  }
  return undefined;
}

/** How often a silent stream says that it is there, in milliseconds: proxies close what is silent. */
const HEARTBEAT_MS = 15_000;

function stream(opened: OpenChat, started: StartedTurn, { run, tools }: Pick<PostedTurn, 'run' | 'tools'>): Response {
  const { chat, engine, options, protocol, request } = opened;
  const { generation } = started;
  const inPage = new Set([...(options.clientTools ?? []), ...tools].map(({ name }) => name));
  const writer = protocol.writeTurn({ ...started, chat, run: run ?? generation });
  const texts = writeTexts(writer, turnEvents(opened, started, inPage));
  const encoder = new TextEncoder();
  let heartbeat: NodeJS.Timeout | undefined;
  const leave = () => {
    clearInterval(heartbeat);
    void texts.return();
    if (options.stopOnCancel) void engine.stop(generation);
  };
  request.signal.addEventListener('abort', leave, { once: true });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still here\n\n'));
      }, HEARTBEAT_MS);
    },
    async pull(controller) {
      const { done, value } = await texts.next();
      if (!done) return controller.enqueue(encoder.encode(`data: ${value}\n\n`));
      clearInterval(heartbeat);
      request.signal.removeEventListener('abort', leave);
      controller.close();
    },
    cancel: leave,
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };
  return new Response(body, { headers: { ...headers, ...protocol.headers } });
}

async function* writeTexts(writer: TurnWriter, events: AsyncIterable<TurnEvent>): AsyncGenerator<string, void> {
  yield* writer.start();
  try {
    for await (const event of events) yield* writer.write(event);
  } catch (error) {
    yield* writer.fail(error instanceof Error ? error.message : String(error));
  }
  yield* writer.end();
}

/** The stored events of a generation as a reader is told them. Throws when the generation failed. */
async function* turnEvents(
  { forest, engine }: OpenChat,
  { generation, after }: StartedTurn,
  inPage: ReadonlySet<string>,
): AsyncGenerator<TurnEvent> {
  let isTold = false;
  for await (const { event } of engine.follow(generation, after)) {
    switch (event.type) {
      case 'message':
        yield* toldByMessage(forest, event.node);
        break;
      case 'approval': {
        const { callId, name, arguments: rawParameters } = event;
        const call = { type: 'tool-use', id: callId, name, rawParameters, parameters: {} } as const;
        // A tool of the page needs no approval: the page runs it.
        if (!inPage.has(name)) yield { type: 'approval', call };
        break;
      }
      case 'branch-end': {
        isTold = true;
        const { status, stop, error } = event.state;
        if (status === 'failed') throw new Error(error?.message ?? 'The answer failed.');
        yield { type: 'finish', reason: status === 'aborted' ? 'aborted' : (stop?.reason ?? 'end') };
        break;
      }
      case 'end':
        if (!isTold) throw new Error('The server was stopped before the answer was complete.');
        return;
      case 'tool-start':
      case 'tool-result':
      case 'retry':
      case 'notice':
        break;
      default:
        yield event;
    }
  }
}

async function* toldByMessage(forest: Forest, node: string): AsyncGenerator<TurnEvent> {
  const { message } = await forest.node(node);
  if (message.role === 'assistant') yield { type: 'reply', message };
  if (message.toolResults.length === 0) return;
  const calls = new Map<string, ToolUseBlock>();
  for (const { message: before } of await forest.path(node))
    for (const call of before.toolUses) calls.set(call.id, call);
  for (const { toolCallId: callId, content, isError: failed } of message.toolResults) {
    const { name = '', rawParameters = '{}' } = calls.get(callId) ?? {};
    const text = content.map((block) => ('text' in block ? block.text : '')).join('');
    yield { type: 'output', callId, name, arguments: rawParameters, text, failed };
  }
}
