import { isAscii, transcode } from 'node:buffer';

/** A byte order mark is part of the bytes. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** From this length on, decoding in two steps takes a fifth to a half of the time that one step takes. */
const LONG = 2 ** 11;

/** The text of bytes that are UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (bytes.length < LONG) return UTF8.decode(bytes);
  const { buffer, byteOffset, byteLength } = bytes;
  const given = Buffer.from(buffer, byteOffset, byteLength);
  return isAscii(given) ? given.toString('latin1') : transcode(given, 'utf8', 'utf16le').toString('utf16le');
}

/** The text of bytes that are UTF-8, in pieces that are decoded one after the other: strings of many kilobytes are slow to allocate and to free. */
export function* textPieces(bytes: Uint8Array, size: number): Generator<string> {
  for (let from = 0; from < bytes.length; ) {
    const rest = bytes.subarray(from, from + size);
    const piece = from + size < bytes.length ? rest.subarray(0, wholeCharacters(rest)) : rest;
    yield decodeUtf8(piece);
    from += piece.length;
  }
}

/** The number of bytes before an incomplete character at the end. */
export function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
