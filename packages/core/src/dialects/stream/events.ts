import type { Reply } from '../reply.ts';

/** What a stream says while it arrives. The complete message comes from `finish`. */
export type StreamEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'refusal'; readonly text: string }
  /** A call begins. `index` tells parallel calls apart within the reply. */
  | { readonly type: 'tool-use'; readonly index: number; readonly id: string; readonly name: string }
  /** The next piece of its arguments. */
  | { readonly type: 'tool-arguments'; readonly index: number; readonly text: string }
  /** The provider reported a failure inside the stream; `native` is its exact text. */
  | { readonly type: 'error'; readonly message: string; readonly native: string }
  /** An event this version does not know, or text that is not JSON: kept in the envelope. */
  | { readonly type: 'unknown'; readonly event: string | undefined; readonly data: string };

/** Reads one streamed reply. `push` takes one server-sent event and never throws. */
export interface StreamReader {
  push(event: string | undefined, data: string): readonly StreamEvent[];
  /** The reply as far as it came; before the stream's own end it is marked as cut. */
  finish(): Reply;
}
