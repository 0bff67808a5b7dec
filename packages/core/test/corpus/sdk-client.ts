/** A `fetch` that answers every request with this stream. */
export function answering(sse: string): () => Promise<Response> {
  return () => Promise.resolve(new Response(sse, { headers: { 'content-type': 'text/event-stream' } }));
}

/** What a promise gives, or undefined with the reason printed nowhere: some streams are too much for an SDK. */
export async function orRefused<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch {
    return undefined;
  }
}

/** The value as JSON has it: no `undefined`, no getters. */
export function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
