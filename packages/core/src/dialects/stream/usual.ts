/** For patterns of usual events: a string, quotes and all, and a number that counts. */
export const STRING = String.raw`("[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*")`;
export const COUNT = String.raw`(0|[1-9]\d{0,8})`;

/**
 * What the pattern of a dialect's usual event takes out of it; nothing when the event is another, or long. Nearly all
 * events of a stream differ in one string only, and a pattern that accepts nothing but JSON reads them faster than a
 * parser does.
 */
export function usualParts(pattern: RegExp, data: string): readonly (string | undefined)[] {
  return (data.length < 4096 && pattern.exec(data)) || [];
}

/** The text between the quotes of a string; the value itself where that is the same, so as not to keep the event. */
export function pieceOf(json: string, value: string): string {
  return value.length + 2 === json.length ? value : json.slice(1, -1);
}
