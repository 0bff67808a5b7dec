import { isObject, isText, type JsonObject } from '../../json/index.ts';
import type { SocketProtocol } from '../dialect.ts';

const ASK = 'response.create';
const LAST = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);

const readLane = ({ stream_id: lane }: JsonObject): string => (isText(lane) ? lane : '');

/** `wss://…/responses`: the events are those of a stream, with the `stream_id` of the request. */
export const socket: SocketProtocol = {
  toMessage(body, { lane = '', isWarmUp = false } = {}) {
    const named = lane && `"stream_id":${JSON.stringify(lane)},`;
    return `{"type":"${ASK}",${named}${isWarmUp ? '"generate":false,' : ''}${body.trimStart().slice(1)}`;
  },
  steering: {
    toMessage: (response, items) =>
      `{"type":"response.steer","previous_response_id":${JSON.stringify(response)},"input":[${items}]}`,
    readId: ({ response }) => (isObject(response) && isText(response.id) ? response.id : undefined),
    readOutcome({ type }) {
      const [, outcome] = /^response\.steer\.(accepted|pending|failed)$/.exec(String(type)) ?? [];
      return outcome as 'accepted' | 'pending' | 'failed' | undefined;
    },
  },
  readRequest: (message) => (message.type === ASK ? { lane: readLane(message) } : undefined),
  readEvent: (message) => ({ lane: readLane(message), ends: LAST.has(String(message.type)) }),
  members: ['type', 'stream_id', 'generate'],
  readFailure({ type, status, error, ...rest }) {
    if (type !== 'error') return undefined;
    // Over a WebSocket the error is an object with a status; inside a stream it is flat.
    return { status: typeof status === 'number' ? status : 500, error: isObject(error) ? error : rest };
  },
  expired: ['websocket_connection_limit_reached'],
};
