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
  let pieces: Uint8Array[] = [];
  let texts: string[] = [];
  let size = 0;
  /** Texts as bytes: a part that is text and bytes is put together from bytes. */
  const encodeTexts = () => {
    if (texts.length > 0) pieces.push(Buffer.from(texts.join('')));
    texts = [];
  };
  return {
    push(bytes, length) {
      size += length;
      if (typeof bytes === 'string') {
        texts.push(bytes);
        return;
      }
      encodeTexts();
      pieces.push(bytes);
    },
    take(isEnd) {
      if (pieces.length === 0 && texts.length > 0) {
        const text = texts.join('').toWellFormed();
        texts = [];
        size = 0;
        return { text };
      }
      encodeTexts();
      const all = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      const cut = isEnd ? all.length : wholeCharacters(all);
      pieces = cut < all.length ? [all.subarray(cut)] : [];
      size = all.length - cut;
      return cut === 0 ? undefined : packLazily(all.subarray(0, cut));
    },
    get size() {
      return size;
    },
  };
}

/** How many bytes it has in UTF-8. */
export function byteLength(bytes: Uint8Array | string): number {
  return typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
}
