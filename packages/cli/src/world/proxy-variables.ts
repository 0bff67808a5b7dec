/** The variables that the vendors' SDKs read for their base addresses, pointing at the proxy of a server. */
export function proxyVariables(url: string): Readonly<Record<string, string>> {
  return {
    OPENAI_BASE_URL: `${url}/proxy/openai/v1`,
    ANTHROPIC_BASE_URL: `${url}/proxy/anthropic`,
    GOOGLE_GEMINI_BASE_URL: `${url}/proxy/google`,
  };
}
