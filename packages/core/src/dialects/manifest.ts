import type { Range } from '../json/index.ts';
import type { Loss } from './loss.ts';

/** What a body was joined from. Joining it again gives the same bytes. */
export interface Manifest {
  readonly version: 1;
  readonly dialect: string;
  readonly issuer: string;
  readonly model: string;
  readonly account?: string;
  /** The provider behind a router that it was written for. */
  readonly upstream?: string;
  /** The fields that were left out because the provider refuses them. */
  readonly refused: readonly string[];
  /** Body text before the first message element: model, system, tools. */
  readonly head: string;
  readonly elements: readonly Element[];
  /** Body text after the last message element: parameters. */
  readonly tail: string;
  /** `facts.digest` of each message given, in order. */
  readonly messages: readonly string[];
  /** What was lost of the messages. */
  readonly losses: readonly Loss[];
  /** Rolling hash over system and tools, and over these and all elements as sent; cache markers aside. */
  readonly start: string;
  /** Worked out when it is asked for, and not saved. */
  readonly prefix: string;
}

/** One element of the body's message list: the messages it stands for, and its text in pieces. */
export interface Element {
  /** Indexes of the messages it was made from; none for what was synthesised. */
  readonly of: readonly number[];
  readonly pieces: readonly ElementPiece[];
  /** The same without the cache marker that was placed on it. */
  readonly plain?: readonly ElementPiece[];
}

/** A range of a message's raw text, or text that was written for this request. */
export type ElementPiece = (Range & { readonly message: number }) | string;

/** The body again; `rawOf` gives the raw text of the message at an index. */
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
