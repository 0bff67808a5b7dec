import { readFile, stat } from 'node:fs/promises';
import { type Document, type KeyPath, keyText, readDocument } from './document.ts';
import type { Problem, ProblemCode } from './problem.ts';
import { findSecrets, withoutSecrets } from './secrets.ts';
import type { Report } from './shape.ts';

/** What people write by hand is short; what is longer is something else. */
const MAX_BYTES = 1024 * 1024;

/** The document in a file. Without one, `problems` says why; a secret in it is a problem, too. */
export async function readFileOf(
  file: string,
): Promise<{ readonly document: Document | undefined; readonly problems: readonly Problem[] }> {
  const content = await contentOf(file);
  if (typeof content !== 'string') return { document: undefined, problems: [content] };
  const document = readDocument(file, content);
  if ('severity' in document) return { document: undefined, problems: [document] };
  const problems: Problem[] = [];
  const report = reporter(document, problems);
  const secrets = findSecrets(document.value);
  for (const path of secrets) report(path, 'secret', NO_SECRETS, USE_A_VARIABLE);
  return { document: { ...document, value: withoutSecrets(document.value, secrets) }, problems };
}

const NO_SECRETS = 'This looks like a secret, and secrets do not belong into a file.';
const USE_A_VARIABLE = `Put it into an environment variable and name that here: "key_variable: NAME" for a provider, "\${NAME}" in headers and env of MCP servers. If it was ever shared, replace it.`;

/** Reports on the keys of a document. */
export function reporter(document: Pick<Document, 'file' | 'lineOf'>, problems: Problem[]): Report {
  return (path: KeyPath, code: ProblemCode, message: string, fix: string) => {
    const severity = code === 'not-used' ? 'notice' : 'error';
    problems.push({
      severity,
      code,
      file: document.file,
      line: document.lineOf(path),
      key: keyText(path),
      message,
      fix,
    });
  };
}

async function contentOf(file: string): Promise<string | Problem> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) return unreadable(file, `It is longer than ${MAX_BYTES} bytes.`);
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return unreadable(file, `It cannot be read (${code}).`);
  }
}

function unreadable(file: string, message: string): Problem {
  const fix = 'Look whether it is there, and whether you may read it.';
  return { severity: 'error', code: 'unreadable', file, line: undefined, key: '', message, fix };
}
