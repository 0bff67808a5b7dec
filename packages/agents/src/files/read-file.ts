import { readFile, stat } from 'node:fs/promises';
import type { Document, KeyPath } from './document.ts';
import type { ConfigProblem, ProblemCode } from './problem.ts';
import type { Report } from './shape.ts';

/** Files written by hand are short, so a longer file is something else. */
const MAX_BYTES = 1024 * 1024;

/** Reads the document in a file. If there is none, `problems` says why. A secret in it is also a problem. */
export async function readDocumentFile(
  file: string,
): Promise<{ readonly document: Document | undefined; readonly problems: readonly ConfigProblem[] }> {
  const content = await toContent(file);
  if (typeof content !== 'string') return { document: undefined, problems: [content] };
  // Most folders have no such file, and the parsers are large.
  const { readDocument } = await import('./document.ts');
  const document = readDocument(file, content);
  if ('severity' in document) return { document: undefined, problems: [document] };
  const problems: ConfigProblem[] = [];
  const report = reporter(document, problems);
  const secrets = findSecrets(document.value);
  for (const path of secrets) report(path, 'secret', NO_SECRETS, USE_A_VARIABLE);
  return { document: { ...document, value: withoutSecrets(document.value, secrets) }, problems };
}

const NO_SECRETS = 'This looks like a secret, and secrets do not belong into a file.';
const USE_A_VARIABLE = `Put it into an environment variable and name that here: "key_variable: NAME" for a provider, "\${NAME}" in headers and env of MCP servers. If it was ever shared, replace it.`;

/** Reports problems with the keys of a document. */
export function reporter(document: Pick<Document, 'file' | 'placeOf'>, problems: ConfigProblem[]): Report {
  return (path: KeyPath, code: ProblemCode, message: string, fix: string) => {
    const severity = code === 'not-used' ? 'notice' : 'error';
    const place = document.placeOf(path);
    problems.push({
      severity,
      code,
      file: document.file,
      line: place?.line,
      column: place?.column,
      key: keyText(path),
      message,
      fix,
    });
  };
}

async function toContent(file: string): Promise<string | ConfigProblem> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) return unreadable(file, `It is longer than ${MAX_BYTES} bytes.`);
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return unreadable(file, `It cannot be read (${code}).`);
  }
}

function unreadable(file: string, message: string): ConfigProblem {
  const fix = 'Look whether it is there, and whether you may read it.';
  return { severity: 'error', code: 'unreadable', file, line: undefined, key: '', message, fix };
}

/** The names of keys whose values are secrets. */
const SECRET_NAMES =
  /(^|[-_])(key|token|secret|password|passwd)$|(api|access|auth|client|private)(key|token|secret)$|^authorization$/i;

/** The prefixes of keys of well-known issuers, and other texts that are always secret. */
const SECRET_VALUES: readonly RegExp[] = [
  /\b(sk|rk|pk|gsk|xai|hf|pplx|r8|csk|fw|tgp)[-_](?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{20,}/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\b(gh[opusr]|github_pat|glpat)[-_][A-Za-z0-9_-]{16,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\bAKIA[A-Z0-9]{16}\b/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\./,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /^[a-z][a-z0-9+.-]*:\/\/[^/\s@:]*:[^/\s@]+@/i,
];

/** A text that reads its secret from a variable: `Bearer ${GITHUB_TOKEN}`. */
const FROM_VARIABLE = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;

/** Finds the places of secrets, by their names or by their form. */
function findSecrets(value: unknown): KeyPath[] {
  const found: KeyPath[] = [];
  const visit = (inner: unknown, path: KeyPath) => {
    if (typeof inner === 'string') {
      if (isSecret(inner, path.at(-1))) found.push(path);
    } else if (Array.isArray(inner)) {
      for (const [index, item] of inner.entries()) visit(item, [...path, index]);
    } else if (typeof inner === 'object' && inner !== null) {
      for (const [key, item] of Object.entries(inner)) visit(item, [...path, key]);
    }
  };
  visit(value, []);
  return found;
}

/** Removes the values at these places: secrets in files are not used. */
function withoutSecrets(value: unknown, secrets: readonly KeyPath[]): unknown {
  if (secrets.length === 0) return value;
  const copy: unknown = structuredClone(value);
  for (const path of secrets) {
    let parent = copy as Record<string | number, unknown>;
    for (const step of path.slice(0, -1)) parent = parent[step] as Record<string | number, unknown>;
    const last = path.at(-1);
    if (last === undefined) return undefined;
    if (Array.isArray(parent)) parent[Number(last)] = null;
    else delete parent[last];
  }
  return copy;
}

function isSecret(text: string, name: string | number | undefined): boolean {
  if (SECRET_VALUES.some((pattern) => pattern.test(text))) return true;
  const named = typeof name === 'string' && SECRET_NAMES.test(name);
  return named && text.trim() !== '' && !FROM_VARIABLE.test(text);
}

/** `providers.house.base_url`, `tools[2]`. */
function keyText(path: KeyPath): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index > 0 ? `.${step}` : step)).join('');
}
