/** One thing that must hold. `run` throws when it does not. */
export interface ConformanceCase {
  readonly name: string;
  run(): void;
}

export function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

export function same(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(a === b, `${what}: expected ${b}, got ${a}`);
}

/** The error that `run` throws. */
export function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
