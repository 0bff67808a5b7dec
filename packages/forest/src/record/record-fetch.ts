import type { RecordingBacklog } from './backlog.ts';
import { createRecorder, type RecordingForest, type RequestToRecord } from './recorder.ts';
import type { Recording } from './recording.ts';
import { createReplayer, type Replayer } from './replay.ts';

/** Options of `recordFetch`. */
export interface RecordFetchOptions {
  /** `record` forwards and records (the default); `replay` answers from recordings; `pass` only forwards. */
  readonly mode?: 'record' | 'replay' | 'pass';
  readonly tags?: readonly string[];
  /** The id of the provider, if its address does not tell. */
  readonly provider?: string;
  /** The name of the conversation; by default it is found by its history. */
  readonly thread?: string;
  /** The function that sends requests; default: the platform's `fetch`. */
  readonly fetch?: FetchFunction;
  /**
   * What a replay does without a matching recording: answer with an error in the provider's format (`refuse`, the
   * default), or send the request to the provider (`pass`).
   */
  readonly onMiss?: 'refuse' | 'pass';
  /** Answers in the mode `replay`; by default, one that compares exactly. */
  readonly replayer?: Replayer;
  /** Receives whatever could not be recorded. The client never notices. */
  readonly onError?: (error: unknown) => void;
  /** Where recordings wait while the store cannot be written; by default, in memory. */
  readonly backlog?: RecordingBacklog;
}

/** The part of `fetch` that SDKs use. */
export type FetchFunction = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A `fetch` that records. */
export interface RecordFetch extends FetchFunction {
  /**
   * Resolves when all exchanges that have ended are stored and placed in the tree. Those that the store does not take, after one
   * more try, wait in the backlog; without one, `onError` receives a `RecordingError` that names them.
   */
  settled(): Promise<void>;
}

/**
 * Returns a `fetch` for any SDK that records every exchange in a forest, or answers from its recordings. Bytes pass
 * unchanged in both directions, without delay.
 *
 * @example
 * const fetch = recordFetch(forest);
 * const openai = new OpenAI({ fetch });
 */
export function recordFetch(forest: RecordingForest, options: RecordFetchOptions = {}): RecordFetch {
  const { mode = 'record', onMiss = 'refuse', onError = () => undefined } = options;
  const send: FetchFunction = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const recorder = createRecorder(forest, { onError, ...(options.backlog && { backlog: options.backlog }) });
  const { replayer = createReplayer(forest) } = options;

  const record: FetchFunction = async (input, init) => {
    let recording: Recording | undefined;
    try {
      recording = recorder.begin(await toRequest(input, init, options));
    } catch (error) {
      onError(error);
    }
    return recording ? tapResponse(recording, () => send(input, init)) : send(input, init);
  };

  const replay: FetchFunction = async (input, init) => {
    const request = await toRequest(input, init, options);
    const found = await replayer.answer(request);
    if (found) return found;
    return onMiss === 'pass' ? record(input, init) : replayer.refuse(request);
  };

  const chosen = mode === 'pass' ? send : mode === 'replay' ? replay : record;
  return Object.assign((input: string | URL | Request, init?: RequestInit) => chosen(input, init), {
    settled: () => recorder.settled(),
  });
}

/** Describes a request without consuming it: a body that can be read only once is left alone. */
async function toRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
  { tags, provider, thread }: RecordFetchOptions,
): Promise<RequestToRecord> {
  // Server libraries replace the global class, so it does not tell a request.
  const request = typeof input === 'object' && 'url' in input ? input : undefined;
  const body = init?.body !== undefined ? await readBody(init.body) : await readRequestBytes(request);
  return {
    method: (init?.method ?? request?.method ?? 'GET').toUpperCase(),
    url: request ? request.url : String(input),
    headers: new Headers(init?.headers ?? request?.headers),
    ...(body !== undefined && { body }),
    ...(tags && { tags }),
    ...(provider !== undefined && { provider }),
    ...(thread !== undefined && { thread }),
  };
}

async function readBody(body: RequestInit['body'] | null): Promise<string | Uint8Array | undefined> {
  if (typeof body === 'string' || body === undefined) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body.slice());
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  if (body instanceof URLSearchParams) return body.toString();
  return body instanceof Blob ? new Uint8Array(await body.arrayBuffer()) : undefined;
}

async function readRequestBytes(request: Request | undefined): Promise<Uint8Array | undefined> {
  return request?.body ? new Uint8Array(await request.clone().arrayBuffer()) : undefined;
}

/** Sends a request and records the response while it passes. */
async function tapResponse(recording: Recording, send: () => Promise<Response>): Promise<Response> {
  let response: Response;
  try {
    response = await send();
  } catch (error) {
    recording.end('failed', error);
    throw error;
  }
  const { status, statusText, headers, body } = response;
  recording.head(status, headers);
  if (!body) {
    recording.end('done');
    return response;
  }
  const copy = new Response(tapBody(recording, body), { status, statusText, headers });
  // A constructed response has no URL, but some clients read it.
  Object.defineProperty(copy, 'url', { value: response.url });
  return copy;
}

function tapBody(recording: Recording, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            recording.end('done');
            controller.close();
            return;
          }
          // The client may overwrite its bytes, so the recording gets a copy.
          recording.push(value.slice());
          controller.enqueue(value);
        } catch (error) {
          recording.end('cut', error);
          controller.error(error);
        }
      },
      cancel(reason) {
        recording.end('cut', reason ?? new Error('the client left'));
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
