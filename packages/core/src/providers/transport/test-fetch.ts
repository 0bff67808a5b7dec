import type { Fetch } from './exchange.ts';

/** What a fake API does with one request: answers, fails, or never answers. */
export type Answer = Response | Error | 'silence';

export interface FakeFetch {
  readonly fetch: Fetch;
  readonly requests: { readonly url: string; readonly init: RequestInit }[];
}

/** Answers one request after the other; the last answer is given again and again. */
export function fakeFetch(...answers: readonly Answer[]): FakeFetch {
  const requests: FakeFetch['requests'] = [];
  const fetch: Fetch = (url, init) => {
    requests.push({ url, init });
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    if (answer instanceof Response) return Promise.resolve(answer.clone());
    if (answer instanceof Error) return Promise.reject(answer);
    return new Promise(() => {});
  };
  return { fetch, requests };
}

export function failing(status: number, body = '{}', headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers });
}

/** A body that gives these pieces and then ends, breaks or stays silent; `cancelled` says whether it was cancelled. */
export function streaming(pieces: readonly string[], end: 'end' | 'break' | 'silence' = 'end') {
  const state = { cancelled: false };
  const rest = [...pieces];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = rest.shift();
        if (piece !== undefined) return controller.enqueue(new TextEncoder().encode(piece));
        if (end === 'end') return controller.close();
        if (end === 'break') return controller.error(new TypeError('terminated'));
        return new Promise(() => {});
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream', 'request-id': 'req_1' } });
  return { response, state };
}
