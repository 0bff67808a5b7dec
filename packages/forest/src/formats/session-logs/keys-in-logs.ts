/** A key or a token that stands in a text. */
export interface FoundKey {
  /** What it looks like, for people. */
  readonly kind: string;
  /** Counted from 1. */
  readonly line: number;
  readonly value: string;
}

/** Keys that services give out, by the form that they have. Each form has a beginning that no other text has. */
const FORMS: readonly (readonly [kind: string, form: RegExp])[] = [
  ['a key of Anthropic', /\bsk-ant-[\w-]{20,}/],
  ['a key of OpenRouter', /\bsk-or-v1-[\w-]{20,}/],
  ['a key of OpenAI', /\bsk-(?:proj|svcacct|admin)-[\w-]{20,}|\bsk-[A-Za-z0-9]{40,}/],
  ['a key of Google', /\bAIza[\w-]{35}/],
  ['a key of AWS', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{60,})/],
  ['a token of GitLab', /\bglpat-[\w-]{20,}/],
  ['a token of Slack', /\bxox[abprs]-[\w-]{20,}/],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['a key of Stripe', /\b[rs]k_live_[A-Za-z0-9]{20,}/],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n|[\w+/=\s])+?-----END [A-Z ]*PRIVATE KEY-----/],
];

/** All forms at once: looking for each of them alone would be a pass over the log for each. */
const ANY_FORM = new RegExp(FORMS.map(([, form]) => `(${form.source})`).join('|'), 'g');

/** The least number of different characters of a real key; examples in documents repeat a few. */
const FEWEST_CHARACTERS = 10;

/** Finds keys and tokens in the text of a log. */
export function findKeys(text: string): FoundKey[] {
  const found: FoundKey[] = [];
  for (const match of text.matchAll(ANY_FORM)) {
    const [value, ...forms] = match;
    const [kind] = FORMS[forms.findIndex((form) => form !== undefined)]!;
    if (new Set(value).size >= FEWEST_CHARACTERS) found.push({ kind, line: countLines(text, match.index), value });
  }
  return found;
}

function countLines(text: string, end: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Puts a note in the place of each key. The text stays JSON. */
export function removeKeys(text: string, keys: readonly FoundKey[]): string {
  return keys.reduce((left, { value, kind }) => left.replaceAll(value, `[${kind} was left out]`), text);
}
