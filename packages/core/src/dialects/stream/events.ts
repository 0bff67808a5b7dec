import type { ContentBlock } from '../../message/index.ts';
import type { Reply, Stop, Usage } from '../reply.ts';

/**
 * What a stream says while it arrives. A reply can be written from its events alone: its content is the blocks of the
 * `block-end` events, in the order in which they end; a later end of the same block replaces an earlier one. New kinds
 * of events may be added: pass over those that you do not know.
 */
export type StreamEvent =
  /** A block begins. Blocks are numbered from 0, in the order in which they begin; all events of a block have its `index`. */
  | { readonly type: 'block-start'; readonly index: number; readonly kind: ContentBlock['type'] }
  /** The next piece of a block's text. */
  | { readonly type: 'text' | 'reasoning' | 'refusal'; readonly index: number; readonly text: string }
  /** The block goes on with a new paragraph: its finished text has `text` between the pieces before and after. */
  | { readonly type: 'break'; readonly index: number; readonly text: string }
  /** Says which tool a block calls. `call` tells parallel calls apart; `id` is empty where the provider gives none. */
  | {
      readonly type: 'tool-use';
      readonly index: number;
      readonly call: number;
      readonly id: string;
      readonly name: string;
      /** The tool takes free text; its arguments are complete only in the block's end. */
      readonly form?: 'custom';
    }
  /** The next piece of a call's arguments. */
  | { readonly type: 'tool-arguments'; readonly index: number; readonly call: number; readonly text: string }
  /**
   * A block is complete: its content with citations, media and whatever else has no pieces. `native` is its exact text in
   * the provider's own form, with signatures and members that no block shows; absent where that form has no such unit.
   */
  | {
      readonly type: 'block-end';
      readonly index: number;
      readonly block: ContentBlock;
      readonly native: string | undefined;
    }
  /** What an alternative says, by its number; the events of the first choice come without this wrapper. */
  | { readonly type: 'choice'; readonly choice: number; readonly event: StreamEvent }
  /** The tokens counted so far. A later event replaces an earlier one. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /** Why the reply ends. Only usage may follow. */
  | { readonly type: 'stop'; readonly stop: Stop }
  /** The provider reported a failure inside the stream; `native` is its exact text. */
  | { readonly type: 'error'; readonly message: string; readonly native: string }
  /** An event that this version does not know, or text that is not JSON: kept in the envelope. */
  | { readonly type: 'unknown'; readonly event: string | undefined; readonly data: string };

/** Reads one streamed reply. `push` takes one event of the stream and never throws. */
export interface StreamReader {
  push(event: string | undefined, data: string): readonly StreamEvent[];
  /** The reply as far as it came; before the stream's own end it is marked as cut. */
  finish(): Reply;
}

/** A stream event without the structure of blocks: what a run tells of a reply, and what is stored of it. */
export type StreamDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'refusal'; readonly text: string }
  /** A call begins. `index` tells parallel calls apart within the reply. */
  | { readonly type: 'tool-use'; readonly index: number; readonly id: string; readonly name: string }
  /** The next piece of its arguments. */
  | { readonly type: 'tool-arguments'; readonly index: number; readonly text: string }
  | { readonly type: 'unknown'; readonly event: string | undefined; readonly data: string };

/** The delta in an event; undefined for failures, and for events that only say where blocks begin and end. */
export function toDelta(event: StreamEvent): StreamDelta | undefined {
  switch (event.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return { type: event.type, text: event.text };
    case 'tool-use':
      return { type: event.type, index: event.call, id: event.id, name: event.name };
    case 'tool-arguments':
      return { type: event.type, index: event.call, text: event.text };
    case 'unknown':
      return event;
    default:
      return undefined;
  }
}

/** The end of a block. Its content is made when it is first read: most readers of a stream pass over it. */
export function blockEnd(index: number, makeBlock: () => ContentBlock, makeNative?: () => string): StreamEvent {
  let block: ContentBlock | undefined;
  return {
    type: 'block-end',
    index,
    get block() {
      block ??= makeBlock();
      return block;
    },
    get native() {
      return makeNative?.();
    },
  };
}
