import type fc from 'fast-check';

/** A function that accepts any text. Failing texts are saved and tried first from then on. */
export interface Target {
  readonly name: string;
  readonly input: fc.Arbitrary<string>;
  /** Throws if something is wrong; otherwise returns the outcome in a word or two, so that outcomes can be counted. */
  run(text: string): string | Promise<string>;
  close?(): Promise<unknown>;
}

/** The name of an allowed error; any other is thrown again. */
export function refusal(error: unknown, allowed: readonly string[]): string {
  const { name, code } = error as { name?: string; code?: string };
  if (name !== undefined && allowed.includes(name)) return `refused: ${code ?? name}`;
  throw error;
}

export function hold(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
