export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of the process; none where there is no process. Looked at when asked, since they may be set late. */
export function environment(): Environment {
  const { process } = globalThis as { readonly process?: { readonly env?: Environment } };
  return process?.env ?? {};
}

/** The first of the variables that holds anything. */
export function firstVariable(names: readonly string[], env: Environment): string | undefined {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value) return value;
  }
  return undefined;
}
