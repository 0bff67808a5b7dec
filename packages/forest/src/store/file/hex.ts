const VALUES = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) VALUES[digit.charCodeAt(0)] = value;

/** Writes the bytes that lower-case digits stand for; false when the text has another length or other characters. */
export function readHex(text: string, start: number, into: Uint8Array, width: number): boolean {
  if (text.length !== start + width * 2) return false;
  let wrong = 0;
  for (let at = 0, place = start; at < width; at++, place += 2) {
    const high = VALUES[text.charCodeAt(place) & 255]!;
    const low = VALUES[text.charCodeAt(place + 1) & 255]!;
    wrong |= high | low | (text.charCodeAt(place) >> 8) | (text.charCodeAt(place + 1) >> 8);
    into[at] = (high << 4) | low;
  }
  return wrong >= 0 && wrong < 16;
}

/** The same from the characters of an ASCII text. */
export function readHexBytes(text: Uint8Array, start: number, into: Uint8Array, width: number): boolean {
  let wrong = 0;
  for (let at = 0, place = start; at < width; at++, place += 2) {
    const high = VALUES[text[place]!]!;
    const low = VALUES[text[place + 1]!]!;
    wrong |= high | low;
    into[at] = (high << 4) | low;
  }
  return wrong >= 0;
}

export function writeHex(bytes: Uint8Array, start: number, width: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, width).toString('hex');
}
