import { apiBase } from './base.ts';
import { api, ok, okText } from './client.ts';
import { createEventReader } from './sse.ts';
import type { Branch, Generation } from './types.ts';

/** What happens in a generation, as the server tells it. */
export type GenerationEvent = { readonly branch: number } & (
  | { readonly type: 'text' | 'reasoning' | 'refusal'; readonly text: string }
  | { readonly type: 'tool-use'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-arguments'; readonly index: number; readonly text: string }
  | { readonly type: 'message'; readonly node: string }
  | { readonly type: 'tool-start' | 'tool-result'; readonly callId: string; readonly name: string }
  | { readonly type: 'approval'; readonly callId: string; readonly name: string; readonly arguments: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'branch-end'; readonly state: Branch }
  | { readonly type: 'end'; readonly status: Generation['status'] }
  | { readonly type: 'unknown' }
);

/** Something that was done differently from what was asked. */
export interface Notice {
  readonly code: string;
  readonly message: string;
  readonly losses?: readonly Loss[];
}

/** What a provider could not be given as it is. */
export interface Loss {
  readonly kind: string;
  readonly message?: number | undefined;
  readonly path?: string | undefined;
  readonly reason: string;
  /** All of it in one sentence. */
  readonly text?: string | undefined;
}

const TYPES = [
  'text',
  'reasoning',
  'refusal',
  'tool-use',
  'tool-arguments',
  'message',
  'tool-start',
  'tool-result',
  'approval',
  'retry',
  'notice',
  'branch-end',
  'end',
] as const;

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
  for (const type of TYPES) {
    source.addEventListener(type, (message) => {
      const { data, lastEventId } = message as MessageEvent<string>;
      const event = JSON.parse(data) as GenerationEvent;
      if (event.type !== 'end') return onEvent(event, lastEventId);
      // It may be the end of before it was taken up again: its state knows.
      void stateOf(id).then(
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
export function stateOf(id: string): Promise<Generation> {
  return ok(api.generations[':generation'].$get({ param: { generation: id } }));
}

/** What is stored of what happened in a generation that does not run. */
export async function pastEvents(id: string): Promise<readonly GenerationEvent[]> {
  const read = createEventReader();
  return read(await okText(`/generations/${id}/events`)).map(({ data }) => JSON.parse(data) as GenerationEvent);
}

/** The id of the last event of a generation that does not run. */
export async function lastEventOf(id: string): Promise<string | undefined> {
  const text = await okText(`/generations/${id}/events`);
  return [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
}
