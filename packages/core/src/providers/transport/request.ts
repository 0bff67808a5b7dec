import type { Endpoint } from '../endpoint.ts';

/** Where a request goes. */
export function requestUrl({ provider, connection, baseUrl }: Endpoint, model: string, stream: boolean): string {
  const path = (stream && connection.streamPath) || connection.path;
  const [base, baseQuery] = split(baseUrl);
  const [rest, query] = split(fill(path, provider.apiVersion, encodeURIComponent(model)));
  const queries = [baseQuery, query].filter(Boolean).join('&');
  return `${base.replace(/\/+$/, '')}${rest}${queries && `?${queries}`}`;
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
  const { key, model, stream } = request;
  const own = Object.entries(connection.headers ?? {});
  const auth =
    key === undefined
      ? []
      : connection.auth.map(({ header, value }) => [header, value.replace('{key}', () => key)] as const);
  const all: Record<string, string> = {};
  for (const [name, value] of [
    ['content-type', 'application/json'] as const,
    ['accept', stream ? 'text/event-stream' : 'application/json'] as const,
    ...own.map(([name, value]) => [name, fill(value, provider.apiVersion, model)] as const),
    ...auth,
    ...Object.entries(request.extraHeaders ?? {}),
  ])
    all[name.toLowerCase()] = carried(name, value);
  return all;
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

function split(address: string): readonly [string, string] {
  const mark = address.indexOf('?');
  return mark === -1 ? [address, ''] : [address.slice(0, mark), address.slice(mark + 1)];
}
