/** Strings, signs, and everything else: numbers and words. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * JSON text with line breaks and indents. Only white space is added or taken away, so that a number too large for a double
 * is still the one that was written. What is not JSON is given back as it is.
 */
export function prettyJson(text: string): string {
  if (!isJson(text)) return text;
  let depth = 0;
  let out = '';
  let before = '';
  for (const [token] of text.matchAll(TOKENS)) {
    const opens = token === '{' || token === '[';
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const isEmptyPair = closes && (before === '{' || before === '[');
    if (before !== '' && !isEmptyPair && (closes || before === ',' || before === '{' || before === '['))
      out += `\n${'  '.repeat(depth)}`;
    out += token === ':' ? ': ' : token;
    if (opens) depth += 1;
    before = token;
  }
  return out;
}

/** JSON text without the white space between its parts. */
export function compactJson(text: string): string {
  return isJson(text) ? [...text.matchAll(TOKENS)].map(([token]) => token).join('') : text;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
