const MASK = '[redacted]';

/** Shorter values are no secrets; words such as `a` would be cut out of every text. */
const SHORTEST = 4;

const SECRET_HEADER = /auth|key|token|secret|cookie/i;

/** The parts of a request that may contain secrets. */
export interface RequestSecrets {
  readonly key: string | undefined;
  readonly baseUrl: string;
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
}

/** The texts that must not be shown: the key, credentials in the address, and the values of headers that sign in. */
export function findSecrets(request: RequestSecrets): readonly string[] {
  const { username, password, searchParams } = new URL(request.baseUrl);
  const headers = Object.entries(request.extraHeaders ?? {}).filter(([name]) => SECRET_HEADER.test(name));
  const values = [
    request.key ?? '',
    username,
    password,
    decodeURIComponent(password),
    ...searchParams.values(),
    ...headers.flatMap(([, value]) => [value, value.replace(/^\w+ +/, '')]),
  ];
  const spellings = values.flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  const distinct = [...new Set(spellings)].filter((value) => value.length >= SHORTEST);
  // Longer ones first: one may be part of another.
  return distinct.sort((a, b) => b.length - a.length);
}

export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, MASK), text);
}

/** The error itself, if none of its texts contains a secret; otherwise a copy of what can be shown. */
export function redactError(error: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof error === 'string') return redact(error, secrets);
  if (!(error instanceof Error)) return isClean(error, secrets) ? error : MASK;
  if (depth === 0 && isClean(error, secrets)) return error;
  const copy = new Error(redact(error.message, secrets));
  copy.name = error.name;
  copy.stack = redact(error.stack ?? '', secrets);
  if ('code' in error && typeof error.code === 'string') Object.assign(copy, { code: redact(error.code, secrets) });
  if (error.cause !== undefined && depth < 8) copy.cause = redactError(error.cause, secrets, depth + 1);
  return copy;
}

/** Checks every text that can be reached. Objects that hide their contents, such as `Headers`, count as unclean. */
function isClean(value: unknown, secrets: readonly string[], seen = new Set<unknown>()): boolean {
  if (typeof value === 'string') return !secrets.some((secret) => value.includes(secret));
  if (typeof value !== 'object' || value === null || seen.has(value)) return true;
  seen.add(value);
  if (seen.size > 1000 || !isOpen(value)) return false;
  return Reflect.ownKeys(value).every((name) => {
    try {
      return isClean((value as Readonly<Record<PropertyKey, unknown>>)[name], secrets, seen);
    } catch {
      return false;
    }
  });
}

function isOpen(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return value instanceof Error || Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
