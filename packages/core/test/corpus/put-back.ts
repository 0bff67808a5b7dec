/**
 * Puts the texts back into the places that hold `null` in an envelope. A text never begins like `null` does, so the
 * places are where the body and the envelope part. Undefined when the body is anything but the envelope and the texts.
 */
export function remainsOf(body: string, envelope: string, count: number): readonly string[] | undefined {
  const texts: string[] = [];
  let before = 0;
  let after = 0;
  for (let left = count; left > 0; left--) {
    while (before < body.length && body[before] === envelope[after]) {
      before++;
      after++;
    }
    if (!envelope.startsWith('null', after)) return undefined;
    const end = left === 1 ? body.length - (envelope.length - after - 4) : endOf(body, before);
    texts.push(body.slice(before, end));
    before = end;
    after += 4;
  }
  return body.slice(before) === envelope.slice(after) ? texts : undefined;
}

/** The end of the object or array that starts here. */
export function endOf(text: string, start: number): number {
  let depth = 0;
  for (const match of text.slice(start).matchAll(/"(?:[^"\\]+|\\[\s\S])*"|[[\]{}]/g)) {
    if (match[0] === '[' || match[0] === '{') depth++;
    if (match[0] === ']' || match[0] === '}') depth--;
    if (depth === 0) return start + match.index + match[0].length;
  }
  return text.length;
}
