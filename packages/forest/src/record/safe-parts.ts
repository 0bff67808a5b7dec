import { isSecretParameter } from '../model/secrets.ts';
import type { HeaderPairs } from './recorder.ts';

/** What of a request and its answer may be stored. Headers by a list of the harmless, because new secrets appear. */
const KEPT_HEADERS =
  /^(?:content-type|accept|user-agent|date|retry-after(?:-ms)?|x-should-retry|anthropic-version|anthropic-beta|openai-beta|openai-version|openai-processing-ms|(?:x-|apim-|x-goog-|x-groq-)?request-?id|x-amzn-requestid|cf-ray|x-stainless-[a-z-]+|x-goog-api-client|(?:x|anthropic)-ratelimit-[a-z-]+)$/;

export function safeHeaders(headers: HeaderPairs): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => KEPT_HEADERS.test(name)));
}

export function isEventStream(headers: HeaderPairs): boolean {
  for (const [name, value] of headers) if (name === 'content-type') return value.includes('event-stream');
  return false;
}

/** The query without what signs in, such as Google's `?key=`. */
export function safeQuery({ searchParams }: URL): string {
  return new URLSearchParams([...searchParams].filter(([name]) => !isSecretParameter(name))).toString();
}
