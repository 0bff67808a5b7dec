import { isObject, type JsonObject } from '@skein/core';
import type { DialectServer, SocketProtocol } from '@skein/core/dialect';
import type { ExchangeTap } from './recording-tap.ts';

/**
 * Records the messages of a WebSocket as exchanges: each request with the events of its response, which are stored as
 * those of an event stream, each with the exact text of its message.
 */
export interface SocketRecording {
  fromClient(text: string): void;
  fromServer(text: string): void;
  /** The connection is closed: what is not complete by now is cut. */
  end(): void;
}

const EVENTS = new Map([['content-type', 'text/event-stream']]);
const JSON_BODY = new Map([['content-type', 'application/json']]);

/** `createTap` begins the recording of one exchange. */
export function createSocketRecording(
  protocol: SocketProtocol,
  { responseId, kept }: DialectServer,
  createTap: () => ExchangeTap,
): SocketRecording {
  const lanes = new Map<string, Lane>();

  const begin = (request: string): OpenExchange => {
    const tap = createTap();
    tap.request(Buffer.from(request));
    tap.requestEnd();
    return { tap, request, hasBegun: false, response: undefined, unheard: [], steers: [] };
  };
  const findLane = (name: string): Lane => {
    const lane = lanes.get(name) ?? { open: [], last: undefined };
    lanes.set(name, lane);
    return lane;
  };
  const findResponse = (id: unknown): OpenExchange | undefined =>
    [...lanes.values()].flatMap(alive).find(({ response }) => isText(id) && response === id);

  /** A response that was steered is followed by one that the client did not ask for. */
  const beginFollowing = (lane: Lane, event: JsonObject): void => {
    const { last } = lane;
    const id = responseId(event);
    if (!last || last.steers.length === 0 || !isText(id) || id === last.response) return;
    lane.open.unshift(begin(kept!.steering!.toRequest(last.request, last.response!, last.steers)));
    lane.last = undefined;
  };

  return {
    fromClient(text) {
      const message = readObject(text);
      if (!message) return;
      findResponse(kept?.steering?.response(message))?.unheard.push(text);
      const asked = protocol.readRequest(message);
      if (asked) findLane(asked.lane).open.push(begin(text));
    },
    fromServer(text) {
      const event = readObject(text);
      if (!event) return;
      const { lane: name, ends } = protocol.readEvent(event);
      const lane = findLane(name);
      const outcome = protocol.steering?.readOutcome(event);
      if (outcome) noteOutcome(lane, outcome);
      else beginFollowing(lane, event);
      const [open] = lane.open;
      if (!open) return;
      const id = responseId(event);
      if (isText(id)) open.response = id;
      recordEvent(open, text, protocol.readFailure(event));
      if (!ends) return;
      open.tap.end('done');
      lane.open.shift();
      lane.last = open;
    },
    end() {
      for (const { open } of lanes.values())
        for (const { tap } of open) tap.end('cut', new Error('the connection was closed'));
      lanes.clear();
    },
  };
}

interface Lane {
  /** The exchanges that are not complete, oldest first. */
  readonly open: OpenExchange[];
  /** The one that was completed last. */
  last: OpenExchange | undefined;
}

interface OpenExchange {
  readonly tap: ExchangeTap;
  readonly request: string;
  hasBegun: boolean;
  /** The id of the response. */
  response: string | undefined;
  /** The client's messages that add input to the response: those that the server has not answered, and those that it has. */
  readonly unheard: string[];
  readonly steers: string[];
}

/** The exchanges of a lane whose responses may be steered, or were. */
function alive({ open, last }: Lane): readonly OpenExchange[] {
  return last ? [...open, last] : open;
}

/** The server has taken input that was added, or does not go on with it by itself. */
function noteOutcome(lane: Lane, outcome: 'accepted' | 'pending' | 'failed'): void {
  const exchange = alive(lane).find(({ unheard, steers }) => unheard.length > 0 || steers.length > 0);
  if (!exchange) return;
  if (outcome === 'accepted') exchange.steers.push(...exchange.unheard.splice(0, 1));
  else if (exchange.unheard.length > 0) exchange.unheard.shift();
  else exchange.steers.shift();
}

function recordEvent(open: OpenExchange, text: string, failure: ReturnType<SocketProtocol['readFailure']>): void {
  // A request that is refused has an error in place of a response, as over HTTP: the message itself, which may have more members.
  if (failure && !open.hasBegun) {
    open.tap.head(failure.status, JSON_BODY);
    open.tap.push(Buffer.from(text));
    return;
  }
  if (!open.hasBegun) open.tap.head(200, EVENTS);
  open.hasBegun = true;
  open.tap.push(Buffer.from(`${text.replace(/^/gm, 'data: ')}\n\n`));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
