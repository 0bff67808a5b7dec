const NAMES = [
  'x-request-id',
  'request-id',
  'apim-request-id',
  'x-goog-request-id',
  'x-groq-request-id',
  'x-amzn-requestid',
  'cf-ray',
];

/** The name a provider gave this exchange, for asking its support about it. */
export function requestIdOf(headers: Headers): string | undefined {
  for (const name of NAMES) {
    const value = headers.get(name);
    if (value) return value;
  }
  return undefined;
}
