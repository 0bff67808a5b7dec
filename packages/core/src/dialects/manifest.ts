import type { Range } from '../json/index.ts';
import type { Loss } from './loss.ts';

/** The parts that a request body was joined from. Joining them again gives the same bytes. */
export interface Manifest {
  readonly version: 1;
  readonly dialect: string;
  readonly issuer: string;
  readonly model: string;
  readonly account?: string;
  /** The provider behind a router that the request was written for. */
  readonly upstream?: string;
  /** The fields that were left out of messages because the provider refuses them. */
  readonly refused: readonly string[];
  /** The text before the first message element: model, system, tools. */
  readonly head: string;
  readonly elements: readonly Element[];
  /** The text behind the last message element: parameters. */
  readonly tail: string;
  /** The `facts.digest` of each message, in order. */
  readonly messages: readonly string[];
  /** The losses of the messages. */
  readonly losses: readonly Loss[];
  /** The hash of system and tools, without cache markers. */
  readonly start: string;
  /** The hash of system, tools and all elements, without cache markers. It is computed on access, and not saved. */
  readonly prefix: string;
}

/** One element of the body's message list: the messages that it stands for, and its text in pieces. */
export interface Element {
  /** The indexes of its messages; none if it was synthesised. */
  readonly of: readonly number[];
  readonly pieces: readonly ElementPiece[];
  /** The pieces without the cache marker, if one was placed on it. */
  readonly plain?: readonly ElementPiece[];
}

/** A range of a message's raw text, or text that was written for this request. */
export type ElementPiece = (Range & { readonly message: number }) | string;

/** Joins the body again. `rawOf` gives the raw text of the message at an index. */
export function joinManifest(manifest: Manifest, rawOf: (message: number) => string): string {
  return manifest.head + joinElements(manifest.elements, rawOf) + manifest.tail;
}

export function joinElements(elements: readonly Element[], rawOf: (message: number) => string): string {
  return elements.map((element) => joinElement(element, rawOf)).join(',');
}

export function joinElement({ pieces }: Element, rawOf: (message: number) => string): string {
  let text = '';
  for (const piece of pieces)
    text += typeof piece === 'string' ? piece : rawOf(piece.message).slice(piece.start, piece.end);
  return text;
}
