import { type PackedBytes, packLazily } from '../model/records.ts';
import { wholeCharacters } from '../model/utf8.ts';

/** Collects the bytes of a response into parts that do not split a character. */
export interface ResponseBuffer {
  /** With how many bytes it has in UTF-8. */
  push(bytes: Uint8Array | string, size: number): void;
  /** The bytes since the last part. With `isEnd`, an incomplete character at the end is included. */
  take(isEnd: boolean): PackedBytes | undefined;
  readonly size: number;
}

export function createResponseBuffer(): ResponseBuffer {
  return new PieceBuffer();
}

/** A class: an object with a getter of its own is slow to make and to use, and every exchange has two. */
class PieceBuffer implements ResponseBuffer {
  #pieces: Uint8Array[] = [];
  #texts: string[] = [];
  #size = 0;

  push(bytes: Uint8Array | string, length: number): void {
    this.#size += length;
    if (typeof bytes === 'string') {
      this.#texts.push(bytes);
      return;
    }
    this.#encodeTexts();
    this.#pieces.push(bytes);
  }

  take(isEnd: boolean): PackedBytes | undefined {
    if (this.#pieces.length === 0 && this.#texts.length > 0) {
      const text = this.#texts.join('').toWellFormed();
      this.#texts = [];
      this.#size = 0;
      return { text };
    }
    this.#encodeTexts();
    const all = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const cut = isEnd ? all.length : wholeCharacters(all);
    this.#pieces = cut < all.length ? [all.subarray(cut)] : [];
    this.#size = all.length - cut;
    return cut === 0 ? undefined : packLazily(all.subarray(0, cut));
  }

  get size(): number {
    return this.#size;
  }

  /** Texts as bytes: a part that is text and bytes is put together from bytes. */
  #encodeTexts(): void {
    if (this.#texts.length > 0) this.#pieces.push(Buffer.from(this.#texts.join('')));
    this.#texts = [];
  }
}

/** How many bytes it has in UTF-8. */
export function byteLength(bytes: Uint8Array | string): number {
  return typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
}
