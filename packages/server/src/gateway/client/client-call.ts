import { type Dialect, dialects, isObject, type JsonObject, type ProviderDescriptor, parseJson } from '@skein/core';
import { type DialectServer, type ServedApi, type ServedOperationKind, serving } from '@skein/core/dialect';

/** What a client asks of the gateway. */
export interface ClientCall {
  /** The protocol that the client speaks. */
  readonly dialect: Dialect;
  readonly server: DialectServer;
  readonly api: ServedApi;
  /** `other`: an address of the vendor that the gateway does not serve itself. */
  readonly operation: ServedOperationKind | 'other';
  readonly method: string;
  /** The path behind the vendor's name, and the query without `?`. */
  readonly path: string;
  readonly query: string;
  readonly headers: ReadonlyMap<string, string>;
  /** The model as the client names it. */
  readonly model?: string;
  readonly isStream: boolean;
  readonly body?: string;
  /** The body as a value; undefined where it is no JSON object. */
  readonly request?: JsonObject;
  /** The id of a kept response that the path names. */
  readonly responseId?: string;
}

/** A provider and one of its models. */
export interface Target {
  readonly provider: ProviderDescriptor;
  readonly model: string;
}

/** Where a call goes: untouched to the client's own vendor, to the first of these targets that answers, or nowhere. */
export type Route =
  | { readonly kind: 'pass'; readonly provider: ProviderDescriptor }
  | {
      readonly kind: 'targets';
      readonly targets: readonly Target[];
      readonly by: 'name' | 'route';
      /** For people and metrics: the pattern of the route, or `provider/*` for a model that the client named. */
      readonly label: string;
    }
  | { readonly kind: 'unknown'; readonly model: string };

const PREFIX = '/gateway/';

/** Whether a request is for the gateway. */
export function isForGateway(url: string | undefined): boolean {
  return url?.startsWith(PREFIX) ?? false;
}

/** Reads from method and address which operation of which protocol a client asks for; undefined for an unknown vendor. */
export function readClientAddress(
  method: string,
  url: string,
  headers: ReadonlyMap<string, string>,
): Omit<ClientCall, 'body'> | undefined {
  const [address = '', ...rest] = url.slice(PREFIX.length).split('?');
  const [vendor = ''] = address.split('/', 1);
  const { served, operations } = findServed(vendor);
  const path = address.slice(vendor.length).replace(/\/+$/, '');
  const query = rest.join('?');
  const key = `${method} ${path}`;
  let found = operations.get(key);
  if (!found) {
    found = findOperation(served, method, path);
    // Clients write any path.
    if (operations.size >= MOST_PATHS) operations.clear();
    if (found) operations.set(key, found);
  }
  return found && { ...found, method, path, query, headers };
}

type FoundOperation = Omit<ClientCall, 'body' | 'method' | 'path' | 'query' | 'headers'>;

/** How many paths are kept for each vendor with the operations that they name. */
const MOST_PATHS = 200;

function findOperation(served: readonly ServedDialect[], method: string, path: string): FoundOperation | undefined {
  for (const one of served) {
    for (const { operation, method: wanted, path: pattern, isStream = false } of one.api.operations) {
      const found = wanted === method ? pattern.exec(path) : null;
      if (!found) continue;
      const { model, response } = found.groups ?? {};
      return {
        ...{ ...one, operation, isStream },
        ...(model !== undefined && { model: decodePart(model) }),
        ...(response !== undefined && { responseId: response }),
      };
    }
  }
  const [first] = served;
  return first && { ...first, operation: 'other', isStream: false };
}

type ServedDialect = Pick<ClientCall, 'dialect' | 'server' | 'api'>;

/** What a vendor's clients speak, and the operations that their paths named so far. */
interface ServedVendor {
  /** The dialects that there were when this was found. */
  readonly among: readonly Dialect[];
  readonly served: readonly ServedDialect[];
  readonly operations: Map<string, FoundOperation>;
}

const known = new Map<string, ServedVendor>();

/** The protocols that clients of a vendor speak. */
function findServed(vendor: string): ServedVendor {
  const all = dialects();
  const there = known.get(vendor);
  if (there?.among === all) return there;
  const served = all.flatMap((dialect) => {
    const server = serving(dialect);
    return server.id === dialect.id && server.api?.vendor === vendor ? [{ dialect, server, api: server.api }] : [];
  });
  const found = { among: all, served, operations: new Map() };
  // Clients write any name into the path.
  if (served.length > 0) known.set(vendor, found);
  return found;
}

/** The call with what its body says: the model and whether it asks for a stream, where the path does not tell. */
export function withBody(call: Omit<ClientCall, 'body'>, body: string): ClientCall {
  const request = readObject(body);
  const { model, stream } = request ?? {};
  return {
    ...call,
    body,
    ...(request && { request }),
    ...(call.model === undefined && typeof model === 'string' && { model }),
    isStream: call.isStream || stream === true,
  };
}

function readObject(body: string): JsonObject | undefined {
  try {
    const value = parseJson(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
