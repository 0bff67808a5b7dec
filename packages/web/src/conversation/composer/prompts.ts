const VARIABLE = /\{\{\s*([^{}]+?)\s*\}\}/g;

/** The names of the variables, each once, in order. */
export function listVariables(text: string): readonly string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map(([, name]) => name!))];
}

/** The text with a value for each variable; one without a value stays. */
export function fillVariables(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(VARIABLE, (whole, name: string) => values[name] || whole);
}

/** A name that can be typed after a slash. */
export function promptName(written: string): string {
  return written
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}
