import { apiBase } from './base.ts';
import { api, fetchText, unwrap } from './client.ts';
import { createEventReader } from './sse.ts';
import type { Generation, GenerationEvent } from './types.ts';

/** The events to listen to. The compiler asks for each kind that the server has; other kinds of a newer server pass unheard. */
const TYPES: Readonly<Record<Exclude<GenerationEvent['type'], 'unknown'>, true>> = {
  text: true,
  reasoning: true,
  refusal: true,
  'tool-use': true,
  'tool-arguments': true,
  message: true,
  'tool-start': true,
  'tool-result': true,
  approval: true,
  retry: true,
  notice: true,
  'branch-end': true,
  end: true,
};

/**
 * Follows a generation from behind an event, or from its first; the browser goes on behind the last one when the connection
 * breaks.
 */
export function followGeneration(
  id: string,
  after: string | undefined,
  onEvent: (event: GenerationEvent, eventId: string) => void,
): () => void {
  let isClosed = false;
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
  const source = new EventSource(`${apiBase}/generations/${id}/events${query}`);
  const end = (event: GenerationEvent, eventId: string) => {
    if (isClosed) return;
    source.close();
    onEvent(event, eventId);
  };
  for (const type of Object.keys(TYPES)) {
    source.addEventListener(type, (message) => {
      const { data, lastEventId } = message as MessageEvent<string>;
      const event = JSON.parse(data) as GenerationEvent;
      if (event.type !== 'end') return onEvent(event, lastEventId);
      // It may be the end of before it was taken up again: its state knows.
      void fetchGeneration(id).then(
        ({ status }) => status === event.status && end(event, lastEventId),
        () => end(event, lastEventId),
      );
    });
  }
  return () => {
    isClosed = true;
    source.close();
  };
}

/** How far a generation is. */
export function fetchGeneration(id: string): Promise<Generation> {
  return unwrap(api.generations[':generation'].$get({ param: { generation: id } }));
}

/** What is stored of what happened in a generation that does not run. */
export async function fetchPastEvents(id: string): Promise<readonly GenerationEvent[]> {
  const read = createEventReader();
  return read(await fetchText(`/generations/${id}/events`)).map(({ data }) => JSON.parse(data) as GenerationEvent);
}

/** The id of the last event of a generation that does not run. */
export async function fetchLastEventId(id: string): Promise<string | undefined> {
  const text = await fetchText(`/generations/${id}/events`);
  return [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
}
