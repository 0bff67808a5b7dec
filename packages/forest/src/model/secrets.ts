import { dialect, type Fetch, type Message, type Step } from '@skein/core';

const SECRET_HEADER = /auth|key|token|secret|cookie|password|credential/i;
const SECRET_PARAMETER = /key|token|secret|auth|sig|password|credential|code/i;
/** Cursors of lists: their names only look like secrets. */
const PAGE_PARAMETER = /^(?:page_?token|next_?page_?token)$/i;

/** Shorter values are not secrets, and removing words such as `a` would damage every text. */
const SHORTEST_SECRET = 6;

/** Finds every secret of a request in all its spellings, longest first, so that it can be removed from what is stored. */
export function findSecrets(url: URL, headers: Iterable<readonly [name: string, value: string]>): readonly string[] {
  const given = [url.username, url.password];
  if (url.search !== '') for (const [name, value] of url.searchParams) if (isSecretParameter(name)) given.push(value);
  for (const [name, value] of headers) if (isSecretHeader(name)) given.push(value);
  const key = given.join('\n');
  const known = lists.get(key);
  if (known) return known;
  // Without the scheme as well, such as `Bearer`.
  const values = given.flatMap((value) => [value, value.replace(/^\w+ +/, '')]);
  const spellings = values.flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  const distinct = [...new Set(spellings)].filter((value) => value.length >= SHORTEST_SECRET);
  const secrets = distinct.sort((a, b) => b.length - a.length);
  if (lists.size >= MOST_LISTS) lists.clear();
  lists.set(key, secrets);
  return secrets;
}

/** Tests names of headers, each once: nearly all headers have the same few names. */
export function createHeaderTest(pattern: RegExp): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    let isMatch = known.get(name);
    if (isMatch === undefined) {
      isMatch = pattern.test(name);
      if (known.size >= MOST_NAMES) known.clear();
      known.set(name, isMatch);
    }
    return isMatch;
  };
}

const MOST_NAMES = 500;
const isSecretHeader = createHeaderTest(SECRET_HEADER);

/** Clients use few keys, over and over. */
const lists = new Map<string, readonly string[]>();
const MOST_LISTS = 100;

const REMOVED = '[key removed]';

/** Removes secrets from a text, however their characters are escaped. A text without secrets is returned unchanged. */
export function removeSecrets(text: string, secrets: readonly string[]): string {
  const hasAny = shortest(secrets).some((secret) => text.includes(secret));
  const clean = hasAny ? secrets.reduce((left, secret) => left.replaceAll(secret, REMOVED), text) : text;
  return secrets.length > 0 && mayHaveEscapes(clean) ? clean.replace(anySpelling(secrets), REMOVED) : clean;
}

/** Whether UTF-8 bytes may have a secret; false is certain. Searching bytes needs no copy of them as text. */
export function mayHaveSecrets({ buffer, byteOffset, byteLength }: Uint8Array, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return false;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return ESCAPE_STARTS.some((start) => bytes.includes(start)) || shortest(secrets).some((one) => bytes.includes(one));
}

/** The secrets that contain none of the others: a text without these has none. */
function shortest(secrets: readonly string[]): readonly string[] {
  const known = shortestOf.get(secrets);
  if (known) return known;
  const found = secrets.filter((one) => !secrets.some((other) => other !== one && one.includes(other)));
  shortestOf.set(secrets, found);
  return found;
}

const shortestOf = new WeakMap<readonly string[], readonly string[]>();

/** One of these is where a character is escaped. */
const ESCAPE_STARTS = ['%', '\\/', '\\u00', '\\U00'];

/** Most texts have none of these, and finding that out takes a third of the time of the pattern. */
function mayHaveEscapes(text: string): boolean {
  return ESCAPE_STARTS.some((start) => text.includes(start)) && ESCAPED.test(text);
}

/** A character may be escaped: `\u004c`, `\/`, `%4C`. */
const ESCAPED = /\\u00[2-7]|\\\/|%(?:25)*[2-7]/i;

/** Cached for each list of secrets, which is searched for in every part of an answer. */
const spellings = new WeakMap<readonly string[], RegExp>();

/** Matches each character as it is, escaped as in JSON (also in nested JSON), or percent-encoded. */
function anySpelling(secrets: readonly string[]): RegExp {
  const known = spellings.get(secrets);
  if (known) return known;
  const letter = (unit: string): string => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
    const digits = [...hex].map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit)).join('');
    const plain = `\\\\{0,8}${unit.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')}`;
    return `(?:${plain}|\\\\{1,8}u${digits}${hex.startsWith('00') ? `|%(?:25)*${digits.slice(2)}` : ''})`;
  };
  const made = new RegExp(secrets.map((secret) => secret.split('').map(letter).join('')).join('|'), 'g');
  spellings.set(secrets, made);
  return made;
}

export function isSecretParameter(name: string): boolean {
  return SECRET_PARAMETER.test(name) && !PAGE_PARAMETER.test(name);
}

/** Keys are longer; a shorter word that stands for one in a test or a demo must not be cut out of a reply. */
const SHORTEST_KEY = 16;

const NEWLINE = 10;

/**
 * Removes the keys of requests from replies, which are stored and shown. A stream may bring a key in small pieces, so it is
 * removed from the received bytes, from the stored events, and from the whole message.
 */
export class KeyGuard {
  #secrets: readonly string[] = [];
  readonly #cleaned = new WeakMap<Message, Message>();

  /** Wraps `fetch` to learn the keys of requests and to remove them from the answers. */
  wrap(fetch: Fetch): Fetch {
    return async (url, init) => {
      const found = findSecrets(new URL(url), new Headers(init.headers)).filter(({ length }) => length >= SHORTEST_KEY);
      // A new list only for a new key, because the pattern is cached for each list.
      if (found.some((secret) => !this.#secrets.includes(secret)))
        this.#secrets = [...new Set([...found, ...this.#secrets])];
      const response = await fetch(url, init);
      const type = response.headers.get('content-type') ?? '';
      if (!response.body || this.#secrets.length === 0 || !/json|^text\//.test(type)) return response;
      const { status, statusText, headers } = response;
      return new Response(response.body.pipeThrough(cleaning(this.#secrets)), { status, statusText, headers });
    };
  }

  text(text: string): string {
    return removeSecrets(text, this.#secrets);
  }

  /** Removes keys from a message. A message without a key is returned unchanged. */
  message(message: Message): Message {
    const known = this.#cleaned.get(message);
    if (known) return known;
    const raw = this.text(message.raw);
    const clean = raw === message.raw ? message : dialect(message.origin.dialect).parseMessage(raw, message.origin);
    this.#cleaned.set(message, clean);
    return clean;
  }

  step(step: Step): Step {
    return {
      ...step,
      message: this.message(step.message),
      alternatives: step.alternatives.map((other) => ({ ...other, message: this.message(other.message) })),
      envelope: this.text(step.envelope),
    };
  }
}

/** Cleans line by line: no key spans two lines, and no event can be used before its line is complete. */
function cleaning(secrets: readonly string[]): TransformStream<Uint8Array, Uint8Array> {
  let held: Uint8Array[] = [];
  // Latin-1 has one character for each byte, so that bytes without a key stay unchanged.
  const clean = (bytes: Buffer) => Buffer.from(removeSecrets(bytes.toString('latin1'), secrets), 'latin1');
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      if (end > 0) controller.enqueue(clean(Buffer.concat([...held.splice(0), chunk.subarray(0, end)])));
      if (end < chunk.length) held.push(chunk.subarray(end));
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(clean(Buffer.concat(held)));
      held = [];
    },
  });
}
