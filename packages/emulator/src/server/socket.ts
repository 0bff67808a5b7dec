/** The Responses API over a WebSocket: many responses on one connection, in lanes. */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { asText, isObject, type Json, objects, parseJson } from '../json.ts';
import { checkKey } from './access.ts';
import type { Answer, AnswerContext } from './answer.ts';
import { errorBody } from './errors.ts';
import { generate, inputItems } from './generate.ts';
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
/** How much may be pending is not known. */
const MOST_STEERS = 16;
const LAST = /^response\.(?:completed|incomplete|failed)$/;
const LANE = /^[A-Za-z0-9_.-]{1,256}$/;

/** A response while it is sent, and the input that was added to it. */
interface ActiveResponse {
  /** The request. */
  readonly body: Json;
  readonly steers: { readonly id: string; readonly input: readonly Json[] }[];
  id?: string;
  lane?: unknown;
  response?: Json;
  output?: readonly Json[];
}

const isCall = ({ type }: Json): boolean => type === 'function_call' || type === 'custom_tool_call';

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
  /** The responses that are being sent, by their ids: those that can still be steered. */
  readonly #active = new Map<string, ActiveResponse>();
  /** Input that waits for the next request behind a response, by the id of the response. */
  readonly #queued = new Map<string, readonly Json[]>();
  #steers = 0;
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

  async #generate(
    { type: _, stream_id, generate: isAsked, ...asked }: Json,
    lane: string,
    data: Buffer,
  ): Promise<void> {
    const { state, route, headers, path, requestId } = this.#context;
    const body = this.#withQueued(asked);
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
    const sending: ActiveResponse = { body, steers: [] };
    const sent = await this.#send(answer, stream_id, sending);
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
    if (sending.steers.length > 0) await this.#follow(sending, stream_id, lane);
  }

  /** Input that was queued goes before that of the next request behind the same response. */
  #withQueued(body: Json): Json {
    const parent = asText(body.previous_response_id);
    const queued = parent === undefined ? undefined : this.#queued.get(parent);
    if (parent === undefined || !queued) return body;
    this.#queued.delete(parent);
    return { ...body, input: [...queued, ...inputItems(body.input)] };
  }

  /** After a response that was steered: the server goes on by itself, unless the client has to answer calls first. */
  async #follow({ id, body, steers, output = [] }: ActiveResponse, stream_id: unknown, lane: string): Promise<void> {
    const marked = { ...(stream_id !== undefined && { stream_id }) };
    const calls = output.filter(isCall);
    const input = steers.flatMap((steer) => steer.input);
    if (calls.length === 0) {
      const { input: _, previous_response_id: __, ...settings } = body;
      const next = { ...settings, previous_response_id: id, input };
      const frame = { type: 'response.create', ...marked, ...next };
      await this.#generate(frame, lane, Buffer.from(JSON.stringify(frame)));
      return;
    }
    this.#queued.set(`${id}`, input);
    const required_input = calls.map(({ type, call_id }) => ({ type: `${type}_output`, call_id }));
    for (const steer of steers)
      this.#write({
        type: 'response.steer.pending',
        reason: 'waiting_for_required_input',
        required_input,
        steer: { id: steer.id, previous_response_id: id },
        ...marked,
      });
  }

  #evict(lane: string): void {
    const id = this.#latest.get(lane);
    if (id !== undefined) this.#memory.forget(id);
    this.#latest.delete(lane);
  }

  /** Sends the events of an answer as frames; an error becomes an event with its status. */
  async #send(
    { status, chunks, transport }: Answer,
    lane: unknown,
    sending: ActiveResponse,
  ): Promise<readonly string[]> {
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
    const done: Json[] = [];
    const most = fault && typeof fault.after === 'object' && 'events' in fault.after ? fault.after.events : undefined;
    if (fault?.after === 'request') this.#client.terminate();
    for (const [index, data] of readEvents(chunks).entries()) {
      if (index === most) {
        await this.#written;
        this.#client.terminate();
      }
      if (this.#client.readyState !== this.#client.OPEN) break;
      if (index > 0) await pause(chunkDelay);
      const value = parseJson(data);
      const event = isObject(value) ? value : {};
      const response = isObject(event.response) ? event.response : {};
      if (event.type === 'response.created') this.#begin(sending, response, lane);
      if (LAST.test(`${event.type}`)) sending.output = objects(response.output);
      sent.push(this.#write({ ...event, ...marked }));
      if (event.type === 'response.output_item.done' && isObject(event.item)) done.push(event.item);
      if (event.type !== 'response.output_item.done' || sending.steers.length === 0 || done.some(isCall)) continue;
      sent.push(this.#write({ ...this.#cut(sending, done), ...marked }));
      break;
    }
    this.#active.delete(`${sending.id}`);
    return sent;
  }

  #begin(sending: ActiveResponse, response: Json, lane: unknown): void {
    Object.assign(sending, { id: asText(response.id), lane, response });
    this.#active.set(`${sending.id}`, sending);
  }

  /** Ends a response behind the items that were sent: what follows was never said. */
  #cut(sending: ActiveResponse, output: readonly Json[]): Json {
    const { id = '', response } = sending;
    const kept = this.#memory.kept(id);
    const ended = { ...response, status: 'incomplete', incomplete_details: { reason: 'steered' }, output };
    if (kept) {
      const whole = objects(kept.response.output).length;
      const items = [...kept.items.slice(0, kept.items.length - whole), ...output];
      this.#memory.keep(id, { ...kept, response: ended, items });
    }
    sending.output = output;
    return { type: 'response.incomplete', response: ended };
  }

  #write(event: Json): string {
    const text = JSON.stringify(event);
    if (this.#client.readyState === this.#client.OPEN)
      this.#written = new Promise((resolve) => this.#client.send(text, () => resolve()));
    return text;
  }

  #steer({ type: _, previous_response_id: id, input, ...more }: Json): void {
    const active = this.#active.get(`${id}`);
    const items = inputItems(input);
    const code = this.#findSteerProblem(`${id}`, active, items, more);
    const marked = { ...(active?.lane !== undefined && { stream_id: active.lane }) };
    if (code !== undefined || !active) {
      const error = { type: 'invalid_request_error', code, message: `Response '${id}' cannot be steered.` };
      this.#write({ type: 'response.steer.failed', steer: { previous_response_id: id, input }, error, ...marked });
      return;
    }
    this.#steers += 1;
    const steer = { id: `steer_${this.#steers}`, input: items };
    active.steers.push(steer);
    this.#write({ type: 'response.steer.accepted', steer: { id: steer.id, previous_response_id: id }, ...marked });
  }

  #findSteerProblem(id: string, active: ActiveResponse | undefined, items: readonly Json[], more: Json) {
    if (!active) return this.#memory.stored(id) ? 'response_already_completed' : 'response_not_found';
    const isMessage = (item: Json): boolean =>
      (item.type ?? 'message') === 'message' &&
      item.role === 'user' &&
      Object.keys(item).every((name) => ['type', 'role', 'content'].includes(name));
    if (items.length === 0 || !items.every(isMessage) || Object.keys(more).length > 0) return 'invalid_input';
    if (active.body.conversation !== undefined || active.body.context_management !== undefined)
      return 'steering_not_supported';
    return active.steers.length >= MOST_STEERS ? 'too_many_pending_steers' : undefined;
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
