/**
 * The text between the quotes of a streamed string, escapes and all, without looking for it: JSON has more than one
 * spelling only for characters written as `\u` or `\/`, so a text without those is spelled as the native printer
 * would. Undefined where it has to be looked for.
 */
export function printedPiece(data: string, value: string): string | undefined {
  if (data.indexOf('\\') < 0) return value;
  if (data.indexOf('\\u') >= 0 || data.indexOf('\\/') >= 0) return undefined;
  const printed = JSON.stringify(value);
  // The printer escapes half a character, which the text then holds as it is.
  return printed.indexOf('\\u') >= 0 ? undefined : printed.slice(1, -1);
}
