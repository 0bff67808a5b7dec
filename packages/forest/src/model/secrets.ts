const SECRET_HEADER = /auth|key|token|secret|cookie|password|credential/i;
const SECRET_PARAMETER = /key|token|secret|auth|sig|password|credential|code/i;
/** Where a list goes on: names that only look like secrets. */
const PAGE_PARAMETER = /^(?:page_?token|next_?page_?token)$/i;

/** Shorter ones are no secrets, and words such as `a` would be cut out of every text. */
const SHORTEST_SECRET = 6;

/** Every secret that a request was signed with, to look for it in what is stored; longer ones first. */
export function secretsOf(url: URL, headers: Iterable<readonly [name: string, value: string]>): readonly string[] {
  const values = [
    url.username,
    url.password,
    ...[...url.searchParams].filter(([name]) => isSecretParameter(name)).map(([, value]) => value),
    ...[...headers]
      .filter(([name]) => SECRET_HEADER.test(name))
      .flatMap(([, value]) => [value, value.replace(/^\w+ +/, '')]),
  ];
  const spellings = values.flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  const distinct = [...new Set(spellings)].filter((value) => value.length >= SHORTEST_SECRET);
  return distinct.sort((a, b) => b.length - a.length);
}

const REMOVED = '[key removed]';

/** A text without these, however their letters are spelt; the text itself when it has none of them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const clean = secrets.reduce((left, secret) => left.replaceAll(secret, REMOVED), text);
  return secrets.length > 0 && ESCAPED.test(clean) ? clean.replace(anySpelling(secrets), REMOVED) : clean;
}

/** Where a letter may be spelt otherwise: `\u004c`, `\/`, `%4C`. */
const ESCAPED = /\\u00[2-7]|\\\/|%(?:25)*[2-7]/i;

/** Made once for the secrets of a request, which are looked for in each part of its answer. */
const spellings = new WeakMap<readonly string[], RegExp>();

/** Each letter as it is, escaped as in JSON (also in JSON inside of JSON), or percent-encoded. */
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
