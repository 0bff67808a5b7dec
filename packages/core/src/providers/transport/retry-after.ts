/** How long a response asks to wait: in milliseconds, in seconds, or until a date. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const ms = number(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const text = headers.get('retry-after');
  const seconds = number(text);
  if (seconds !== undefined) return seconds * 1000;
  // Parsers of dates take almost anything, `-5` too.
  const date = text !== null && /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function number(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
