import { type PackedBytes, packBytes } from '../model/index.ts';

/** Gathers the bytes of an answer into parts that end between characters. */
export interface ResponseBuffer {
  push(bytes: Uint8Array): void;
  /** What has come since the last part; `isEnd` takes also the beginning of a character that never came. */
  take(isEnd: boolean): PackedBytes | undefined;
  readonly size: number;
}

export function createResponseBuffer(): ResponseBuffer {
  let pieces: Uint8Array[] = [];
  let size = 0;
  return {
    push(bytes) {
      pieces.push(bytes);
      size += bytes.length;
    },
    take(isEnd) {
      const all = Buffer.concat(pieces);
      const cut = isEnd ? all.length : wholeCharacters(all);
      pieces = cut < all.length ? [all.subarray(cut)] : [];
      size = all.length - cut;
      return cut === 0 ? undefined : packBytes(all.subarray(0, cut));
    },
    get size() {
      return size;
    },
  };
}

/** How many bytes there are before a character that is not complete. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
