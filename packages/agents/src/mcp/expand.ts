import type { Environment } from '@skein/core';

/** Puts variables in place of `${NAME}`. One that is not set is an error that names it: half a header helps nobody. */
export function expand(values: Readonly<Record<string, string>>, env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value.replace(VARIABLE, (_, name: string) => variableOf(name, env)),
    ]),
  );
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function variableOf(name: string, env: Environment): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Error(`the variable ${name} is not set`);
  return value;
}
