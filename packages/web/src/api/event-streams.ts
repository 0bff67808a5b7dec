import { apiBase } from './base.ts';
import { api, fetchText, unwrap } from './client.ts';
import type { Generation, GenerationEvent } from './types.ts';

/** The events to listen to. The compiler demands every kind that the server has; new kinds of a newer server are ignored. */
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
 * Follows the events of a generation after a given event, or all of them. The browser continues after the last event when
 * the connection breaks. Returns a function that stops.
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
      // It may be the end that preceded a resumption: only the current state can tell.
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

/** The current state of a generation. */
export function fetchGeneration(id: string): Promise<Generation> {
  return unwrap(api.generations[':generation'].$get({ param: { generation: id } }));
}

/** The stored events of a generation that is not running. */
export async function fetchPastEvents(id: string): Promise<readonly GenerationEvent[]> {
  const read = createEventReader();
  return read(await fetchText(`/generations/${id}/events`)).map(({ data }) => JSON.parse(data) as GenerationEvent);
}

/** The id of the last stored event of a generation that is not running. */
export async function fetchLastEventId(id: string): Promise<string | undefined> {
  const text = await fetchText(`/generations/${id}/events`);
  return [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
}

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Parses server-sent events from the pieces in which they arrive. An unfinished event waits for the rest of its text. */
export function createEventReader(): (piece: string) => readonly ServerEvent[] {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    return blocks.flatMap(readBlock);
  };
}

function readBlock(block: string): readonly ServerEvent[] {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  return data.length === 0 ? [] : [{ event, data: data.join('\n') }];
}

/** The server-sent events of a response. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const read = createEventReader();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield* read(value);
  }
}
