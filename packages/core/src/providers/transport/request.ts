import type { Endpoint } from '../endpoint.ts';

/** Where a request goes. */
export function requestUrl({ provider, connection, baseUrl }: Endpoint, model: string, stream: boolean): string {
  const path = (stream && connection.streamPath) || connection.path;
  const url = new URL(baseUrl);
  const [rest, query] = fill(path, provider.apiVersion, encodeURIComponent(model)).split('?');
  url.pathname = url.pathname.replace(/\/+$/, '') + rest;
  url.search = [url.search.slice(1), query].filter(Boolean).join('&');
  return url.href;
}

/** Made at the last moment and handed to `fetch` only: they hold the key. */
export function requestHeaders(
  { provider, connection }: Endpoint,
  request: {
    readonly model: string;
    readonly stream: boolean;
    readonly key: string | undefined;
    readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
  },
): Record<string, string> {
  const { key, model, stream, extraHeaders } = request;
  const { headers = {}, auth } = connection;
  const all: readonly (readonly [name: string, value: string])[] = [
    ['content-type', 'application/json'],
    ['accept', stream ? 'text/event-stream' : 'application/json'],
    ...Object.entries(headers).map(([name, value]) => [name, fill(value, provider.apiVersion, model)] as const),
    ...(key === undefined ? [] : auth.map(({ header, value }) => [header, value.replace('{key}', () => key)] as const)),
    ...Object.entries(extraHeaders ?? {}),
  ];
  return Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), carried(name, value)]));
}

/** `fetch` would refuse it too, and quote the value. */
function carried(name: string, value: string): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new TypeError(`The header ${name} holds a character that headers cannot carry, such as a line break`);
  return value;
}

function fill(template: string, apiVersion: string | undefined, model: string): string {
  return template.replace('{apiVersion}', () => apiVersion ?? '').replace('{model}', () => model);
}
