/** Cuts a text into pieces of a stream, between characters: providers send no halves of surrogate pairs. */
export function pieces(text: string, size: number): readonly string[] {
  const characters = Array.from(text);
  const found: string[] = [];
  for (let start = 0; start < characters.length; start += Math.max(1, size)) {
    found.push(characters.slice(start, start + Math.max(1, size)).join(''));
  }
  return found;
}

/** A rough count: four characters are a token. */
export const estimateTokens = (text: string): number => Math.max(1, Math.ceil(text.length / 4));
