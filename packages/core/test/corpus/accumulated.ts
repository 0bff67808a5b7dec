import type { Source, SourceObject } from './source-json.ts';

/** What the events of a stream add up to: the messages, first the reply, and the response without them. */
export interface Accumulated {
  readonly messages: readonly Source[];
  readonly envelope: SourceObject;
}
