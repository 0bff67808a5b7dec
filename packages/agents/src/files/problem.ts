/** A problem in a file, a flag or a variable. */
export interface ConfigProblem {
  /** After an error, the value or the whole agent is not used. A notice changes nothing. */
  readonly severity: 'error' | 'notice';
  readonly code: ProblemCode;
  /** The file, or another source: `flag --port`, `variable SKEIN_PORT`. */
  readonly file: string;
  /** Counted from 1; undefined if the source has no lines. */
  readonly line: number | undefined;
  /** Counted from 1, where the line is known. */
  readonly column?: number | undefined;
  /** The full path of the key: `providers.house.base_url`. Empty for the whole file. */
  readonly key: string;
  /** What is wrong. It does not quote values that could be secrets. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
}

/** The kinds of problems, for programs. */
export type ProblemCode =
  | 'unreadable'
  | 'syntax'
  | 'unknown-key'
  | 'wrong-type'
  | 'wrong-value'
  | 'missing-key'
  | 'secret'
  | 'unknown-provider'
  | 'unknown-tool'
  | 'tool-module'
  | 'unknown-server'
  | 'mcp-server'
  | 'mcp-tool'
  | 'duplicate'
  | 'plugin'
  | 'not-used';

/**
 * Describes a problem in one line: where it is, what is wrong, and what to do.
 *
 * @example
 * const { problems } = await loadConfig();
 * for (const problem of problems) console.warn(describeProblem(problem));
 */
export function describeProblem({ file, line, column, key, message, fix }: ConfigProblem): string {
  const place = line === undefined ? file : `${file}:${line}${column === undefined ? '' : `:${column}`}`;
  return `${place}: ${key && `${key}: `}${message} ${fix}`;
}
