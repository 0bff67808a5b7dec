import type { Range } from '../json/index.ts';

/** What a body was joined from. Joining it again gives the same bytes. */
export interface Manifest {
  readonly version: 1;
  readonly dialect: string;
  readonly issuer: string;
  readonly model: string;
  readonly account?: string;
  /** Body text before the first message element: model, system, tools. */
  readonly head: string;
  readonly elements: readonly Element[];
  /** Body text after the last message element: parameters. */
  readonly tail: string;
  /** `facts.digest` of each message given, in order. */
  readonly messages: readonly string[];
  /** Rolling hash over system and tools, and over these and all elements as sent; cache markers aside. */
  readonly start: string;
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
  const elements = manifest.elements.map((element) =>
    element.pieces
      .map((piece) => (typeof piece === 'string' ? piece : rawOf(piece.message).slice(piece.start, piece.end)))
      .join(''),
  );
  return manifest.head + elements.join(',') + manifest.tail;
}
