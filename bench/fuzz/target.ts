import type fc from 'fast-check';

/** Something that takes any text. Failures are saved as texts and tried again first, so that they stay found. */
export interface Target {
  readonly name: string;
  readonly input: fc.Arbitrary<string>;
  /** Throws where something does not hold; else says in a word or two what came of it, so that it can be counted. */
  run(text: string): string | Promise<string>;
  close?(): Promise<unknown>;
}

/** The name of an error that is allowed; any other is thrown on. */
export function refusal(error: unknown, allowed: readonly string[]): string {
  const { name, code } = error as { name?: string; code?: string };
  if (name !== undefined && allowed.includes(name)) return `refused: ${code ?? name}`;
  throw error;
}

export function hold(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
