import type { Context } from 'hono';

/** When the older message shape (string content, `tool_calls`) was superseded, as RFC 9745 wants it. */
const SINCE = '@1763251200';

/** Tells a client that writes the older shape that there is a newer one. */
export function markOlder(c: Context, older: boolean): void {
  if (!older) return;
  c.header('deprecation', SINCE);
  c.header('link', '</api/openapi.json>; rel="deprecation"');
}
