/** One thing that must hold. `run` rejects when it does not. */
export interface StoreCase {
  readonly name: string;
  run(): Promise<void>;
}

export function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/** Equal by value; the order of an object's members does not count. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [show(actual), show(expected)];
  check(a === b, `${what}: expected ${short(b)}, got ${short(a)}`);
}

function show(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}

function short(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text;
}
