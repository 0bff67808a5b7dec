import { isObject, type JsonObject } from '@skein/core';
import type { SocketProtocol } from '@skein/core/dialect';
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
export function createSocketRecording(protocol: SocketProtocol, createTap: () => ExchangeTap): SocketRecording {
  /** The requests of each lane that have no complete response, oldest first. */
  const lanes = new Map<string, OpenExchange[]>();
  return {
    fromClient(text) {
      const request = readObject(text);
      const asked = request && protocol.readRequest(request);
      if (!asked) return;
      const tap = createTap();
      tap.request(Buffer.from(text));
      tap.requestEnd();
      lanes.set(asked.lane, [...(lanes.get(asked.lane) ?? []), { tap, hasBegun: false }]);
    },
    fromServer(text) {
      const event = readObject(text);
      if (!event) return;
      const { lane, ends } = protocol.readEvent(event);
      const [open, ...rest] = lanes.get(lane) ?? [];
      if (!open) return;
      recordEvent(open, text, protocol.readFailure(event));
      if (!ends) return;
      open.tap.end('done');
      if (rest.length > 0) lanes.set(lane, rest);
      else lanes.delete(lane);
    },
    end() {
      for (const { tap } of [...lanes.values()].flat()) tap.end('cut', new Error('the connection was closed'));
      lanes.clear();
    },
  };
}

interface OpenExchange {
  readonly tap: ExchangeTap;
  hasBegun: boolean;
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

function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
