/** A token of a JSON text, exactly as written. All tokens joined are the text. */
export interface JsonPiece {
  readonly kind: 'key' | 'text' | 'number' | 'word' | 'mark' | 'space';
  readonly text: string;
}

// An unterminated string at the end is a token, too.
const PIECES = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|\s+|[[\]{},:]|[^\s"[\]{},:]+/g;

/** Tokenizes JSON, or text that resembles it. Nothing is parsed, so nothing is altered. */
export function* jsonPieces(text: string): Generator<JsonPiece> {
  let last: string | undefined;
  for (const [piece] of text.matchAll(PIECES)) {
    if (last !== undefined) yield { kind: piece === ':' ? 'key' : 'text', text: last };
    last = undefined;
    if (piece.startsWith('"')) last = piece;
    else yield { kind: pieceKind(piece), text: piece };
  }
  if (last !== undefined) yield { kind: 'text', text: last };
}

function pieceKind(piece: string): JsonPiece['kind'] {
  if (/^\s/.test(piece)) return 'space';
  if (/^[[\]{},:]$/.test(piece)) return 'mark';
  return /^-?\d/.test(piece) ? 'number' : 'word';
}

const INDENT = '  ';

/** Puts each value of a JSON text on its own line. Numbers, escapes and the order of keys stay as written. */
export function indentJson(text: string): string {
  const out: string[] = [];
  let depth = 0;
  let isFresh = false;
  const line = () => out.push(`\n${INDENT.repeat(depth)}`);
  for (const { kind, text: piece } of jsonPieces(text)) {
    if (kind === 'space') continue;
    const isEnd = piece === '}' || piece === ']';
    if (kind === 'mark' && isEnd) {
      depth = Math.max(0, depth - 1);
      if (!isFresh) line();
    } else if (isFresh) line();
    isFresh = false;
    out.push(piece);
    if (kind !== 'mark') continue;
    if (piece === '{' || piece === '[') {
      depth += 1;
      isFresh = true;
    } else if (piece === ',') line();
    else if (piece === ':') out.push(' ');
  }
  return out.join('');
}

/** Indents a text if it is JSON; returns any other text unchanged. */
export function prettyJson(text: string): string {
  return isJson(text) ? indentJson(text) : text;
}

/** JSON without white space between tokens. */
export function compactJson(text: string): string {
  if (!isJson(text)) return text;
  return [...jsonPieces(text)].map(({ kind, text: piece }) => (kind === 'space' ? '' : piece)).join('');
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text begins like a JSON object or array. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

/**
 * A value of a kind that has no case, as JSON. The compiler accepts it only where every known kind has one; at run time it
 * shows what a newer server sends.
 */
export function unknownText(value: never): string {
  return JSON.stringify(value);
}
