import { harmless, say, sayJson } from './output.ts';

interface Found {
  readonly code: string;
  readonly where: string;
  readonly message: string;
}

/** What a check found. Anything found makes the command fail, so that scripts notice. */
export function sayProblems(problems: readonly Found[], facts: object, summary: string, json: boolean): void {
  if (json) sayJson({ ok: problems.length === 0, ...facts, problems });
  else {
    for (const { code, where, message } of problems) say(harmless(`${where}: ${message} (${code})`));
    say(summary);
  }
  if (problems.length > 0) process.exitCode = 1;
}
