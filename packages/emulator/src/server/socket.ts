/** The Responses API over a WebSocket: many responses on one connection, in lanes. */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { asText, isObject, type Json, parseJson } from '../json.ts';
import { checkKey } from './access.ts';
import type { Answer, AnswerContext } from './answer.ts';
import { errorBody } from './errors.ts';
import { generate } from './generate.ts';
import type { Route } from './route.ts';
import type { EmulatorState, HeaderMap, LogEntry } from './state.ts';

type GenerateRoute = Extract<Route, { kind: 'generate' }>;

interface SocketContext {
  readonly state: EmulatorState;
  readonly route: GenerateRoute;
  readonly headers: HeaderMap;
  readonly path: string;
  readonly requestId: (body: Buffer) => string;
}

/** Why a message of a client is refused before it is judged. */
interface SocketProblem {
  readonly code: string;
  readonly message: string;
  readonly param?: string;
}

const LIFETIME_MS = 60 * 60 * 1000;
const MOST_IN_FLIGHT = 16;
const MOST_LANES = 32;
const LANE = /^[A-Za-z0-9_.-]{1,256}$/;

const WORDS = {
  invalid_stream_id:
    "The 'stream_id' field must be a non-empty string with at most 256 characters and may only contain letters, numbers, underscores, hyphens, and periods.",
  websocket_stream_limit_reached:
    'This WebSocket connection has reached its maximum number of distinct stream IDs (32). Reuse an existing stream_id or open a new WebSocket connection.',
  websocket_connection_limit_reached:
    'Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.',
} as const;

const server = new WebSocketServer({ noServer: true, perMessageDeflate: { threshold: 0 } });

/** Accepts an upgrade, or refuses it as the API refuses a request. */
export function openSocket(context: SocketContext, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { state, route, headers } = context;
  const denial = checkKey(route.protocol, headers, state.configuration.key);
  if (denial) {
    const body = JSON.stringify(errorBody(route.protocol, denial.error, ''));
    const lines = [
      `HTTP/1.1 ${denial.error.status} Unauthorized`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ];
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
    return;
  }
  server.handleUpgrade(request, socket, head, (client) => new Connection(context, client));
}

/** One connection. Within a lane, responses come one after the other; lanes run side by side. */
class Connection {
  readonly #context: SocketContext;
  readonly #client: WebSocket;
  readonly #openedAt: number;
  readonly #closing = new AbortController();
  readonly #lanes = new Map<string, Promise<void>>();
  /** The latest response of each lane that is kept in memory only. */
  readonly #latest = new Map<string, string>();
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  /** Resolves when the last message was handed to the connection: a cut after it must not lose it. */
  #written: Promise<void> = Promise.resolve();

  constructor(context: SocketContext, client: WebSocket) {
    this.#context = context;
    this.#client = client;
    this.#openedAt = context.state.configuration.now();
    client.on('message', (data: Buffer) => this.#receive(data));
    client.on('error', () => undefined);
    client.on('close', () => {
      this.#closing.abort();
      for (const id of this.#latest.values()) this.#memory.forget(id);
    });
  }

  get #memory() {
    const { state, route } = this.#context;
    return state.memory(route.protocol, route.issuer);
  }

  #receive(data: Buffer): void {
    const frame = parseJson(data.toString('utf8'));
    const lane = isObject(frame) ? (asText(frame.stream_id) ?? '') : '';
    if (isObject(frame) && frame.type === 'response.steer') {
      this.#steer(frame);
      return;
    }
    const problem = this.#findProblem(frame, lane);
    if (problem || !isObject(frame)) {
      this.#fail(problem!, lane);
      return;
    }
    const before = this.#lanes.get(lane) ?? Promise.resolve();
    this.#lanes.set(
      lane,
      before.then(() => this.#answer(frame, lane, data)),
    );
  }

  #findProblem(frame: unknown, lane: string): SocketProblem | undefined {
    if (!isObject(frame)) return { code: 'invalid_json', message: 'The message is not valid JSON.' };
    if (frame.type !== 'response.create')
      return { code: 'invalid_event', message: `Invalid value: '${frame.type}'.`, param: 'type' };
    if (frame.stream_id !== undefined && !LANE.test(lane))
      return { code: 'invalid_stream_id', message: WORDS.invalid_stream_id, param: 'stream_id' };
    const named = [...this.#lanes.keys()].filter((one) => one !== '').length;
    if (lane !== '' && !this.#lanes.has(lane) && named >= MOST_LANES)
      return {
        code: 'websocket_stream_limit_reached',
        message: WORDS.websocket_stream_limit_reached,
        param: 'stream_id',
      };
    if (this.#context.state.configuration.now() - this.#openedAt > LIFETIME_MS)
      return { code: 'websocket_connection_limit_reached', message: WORDS.websocket_connection_limit_reached };
    if (frame.background === true)
      return {
        code: 'unsupported_parameter',
        message: "'background' is not supported over WebSocket.",
        param: 'background',
      };
    return undefined;
  }

  async #answer(frame: Json, lane: string, data: Buffer): Promise<void> {
    if (this.#inFlight >= MOST_IN_FLIGHT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inFlight += 1;
    try {
      await this.#generate(frame, lane, data);
    } finally {
      this.#inFlight -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #generate({ type: _, stream_id, generate: isAsked, ...body }: Json, lane: string, data: Buffer): Promise<void> {
    const { state, route, headers, path, requestId } = this.#context;
    const { configuration, log } = state;
    const options = isObject(body.prompt_cache_options) ? body.prompt_cache_options : {};
    const text = JSON.stringify({ ...body, stream: true });
    const bytes = Buffer.from(text);
    const at = configuration.now();
    const context: AnswerContext = { protocol: route.protocol, stream: 'sse', requestId: requestId(bytes), now: at };
    const parent = asText(body.previous_response_id);
    let kept: string | undefined;
    const outcome = await generate(state, route, {
      method: 'GET',
      path,
      bytes,
      text,
      headers,
      context,
      isWarmup: isAsked === false || options.prewarm === true,
      onKept: (id) => {
        kept = id;
      },
    });
    const { verdict, answer } = outcome;
    const isGood = answer.status < 400;
    // A failure in the parent's own lane evicts it; a failed fork does not.
    if (!isGood && parent !== undefined && this.#latest.get(lane) === parent) this.#evict(lane);
    if (isGood) this.#evict(lane);
    if (isGood && kept !== undefined) this.#latest.set(lane, kept);
    const sent = await this.#send(answer, stream_id);
    const entry: LogEntry = {
      at,
      method: 'WEBSOCKET',
      path,
      headers,
      body: data,
      protocol: route.protocol,
      issuer: route.issuer,
      verdict,
      served: { status: answer.status, headers: answer.headers, body: Buffer.from(sent.join('\n')), ended: 'complete' },
    };
    log.push(entry);
    if (log.length > configuration.logLimit) log.shift();
    outcome.sent?.('complete');
  }

  #evict(lane: string): void {
    const id = this.#latest.get(lane);
    if (id !== undefined) this.#memory.forget(id);
    this.#latest.delete(lane);
  }

  /** Sends the events of an answer as frames; an error becomes an event with its status. */
  async #send({ status, chunks, transport }: Answer, lane: unknown): Promise<readonly string[]> {
    const { break: fault, delay = 0, chunkDelay = 0 } = transport;
    const pause = async (ms: number) => {
      if (ms > 0) await this.#context.state.configuration.sleep(ms, this.#closing.signal).catch(() => undefined);
    };
    await pause(delay);
    const marked = { ...(lane !== undefined && { stream_id: lane }) };
    if (status >= 400) {
      const value = parseJson(Buffer.concat([...chunks]).toString('utf8'));
      const error = isObject(value) && isObject(value.error) ? value.error : { message: 'Error' };
      return [this.#write({ type: 'error', status, ...marked, error })];
    }
    const sent: string[] = [];
    const most = fault && typeof fault.after === 'object' && 'events' in fault.after ? fault.after.events : undefined;
    if (fault?.after === 'request') this.#client.terminate();
    for (const [index, data] of readEvents(chunks).entries()) {
      if (index === most) {
        await this.#written;
        this.#client.terminate();
      }
      if (this.#client.readyState !== this.#client.OPEN) break;
      if (index > 0) await pause(chunkDelay);
      const event = parseJson(data);
      sent.push(this.#write({ ...(isObject(event) ? event : {}), ...marked }));
    }
    return sent;
  }

  #write(event: Json): string {
    const text = JSON.stringify(event);
    if (this.#client.readyState === this.#client.OPEN)
      this.#written = new Promise((resolve) => this.#client.send(text, () => resolve()));
    return text;
  }

  /** Every response here is complete when it is sent, so there is never one that could still be steered. */
  #steer({ previous_response_id: id, input }: Json): void {
    const isKnown = this.#memory.stored(`${id}`);
    const code = isKnown ? 'response_already_completed' : 'response_not_found';
    this.#write({
      type: 'response.steer.failed',
      previous_response_id: id,
      steer: { input },
      error: { code, message: `Response '${id}' cannot be steered.` },
    });
  }

  #fail({ param, ...problem }: SocketProblem, lane: string): void {
    const error = { type: 'invalid_request_error', ...problem, param: param ?? null };
    this.#write({ type: 'error', status: 400, ...(LANE.test(lane) && { stream_id: lane }), error });
  }
}

/** The data of the events in the chunks of a streamed answer. */
function readEvents(chunks: readonly Buffer[]): string[] {
  return Buffer.concat([...chunks])
    .toString('utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []));
}
