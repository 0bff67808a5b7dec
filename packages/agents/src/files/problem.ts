/** Something in a file, a flag or a variable that a person has to look at. */
export interface ConfigProblem {
  /** With an error the value or the whole agent is not used; a notice changes nothing. */
  readonly severity: 'error' | 'notice';
  readonly code: ProblemCode;
  /** The file, or what else it was read from: `flag --port`, `variable SKEIN_PORT`. */
  readonly file: string;
  /** From 1; undefined where there are no lines. */
  readonly line: number | undefined;
  /** The key with all keys around it: `providers.house.base_url`. Empty for the whole file. */
  readonly key: string;
  /** What is wrong. Values are not repeated where they could be secrets. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
}

/** What kind of problem it is, for programs. */
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
 * One line for a person: where, what, and what to do.
 *
 * @example
 * const { problems } = await loadConfig();
 * for (const problem of problems) console.warn(describeProblem(problem));
 */
export function describeProblem({ file, line, key, message, fix }: ConfigProblem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return `${place}: ${key && `${key}: `}${message} ${fix}`;
}
