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
  readonly message?: number;
  readonly path?: string;
  readonly reason: string;
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

/** Follows a generation from its first event; the browser goes on behind the last one when the connection breaks. */
export function followGeneration(id: string, onEvent: (event: GenerationEvent) => void): () => void {
  const source = new EventSource(`/api/v1/generations/${id}/events`);
  for (const type of TYPES) {
    source.addEventListener(type, (message) => {
      const event = JSON.parse((message as MessageEvent<string>).data) as GenerationEvent;
      if (event.type === 'end') source.close();
      onEvent(event);
    });
  }
  return () => source.close();
}
