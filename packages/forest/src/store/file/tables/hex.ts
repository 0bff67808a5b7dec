const VALUES = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) VALUES[digit.charCodeAt(0)] = value;

/** Decodes lower-case hexadecimal digits; false if the text has another length or other characters. */
export function readHex(text: string, start: number, into: Uint8Array, width: number): boolean {
  if (text.length !== start + width * 2) return false;
  let wrong = 0;
  for (let at = 0, place = start; at < width; at++, place += 2) {
    const first = text.charCodeAt(place);
    const second = text.charCodeAt(place + 1);
    const high = VALUES[first & 255]!;
    const low = VALUES[second & 255]!;
    // The upper byte of a character stays where it is, above the four bits of a digit.
    wrong |= high | low | ((first | second) & 0xff00);
    into[at] = (high << 4) | low;
  }
  return wrong >= 0 && wrong < 16;
}

/** The same for ASCII characters. */
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
