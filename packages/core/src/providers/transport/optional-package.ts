/**
 * Loads a package that only some programs need, and that they install themselves. Its name is no literal, so that a bundler
 * does not put it into a page that never uses it.
 */
export async function loadPackage<T>(name: string, use: string): Promise<T> {
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as T;
  } catch (cause) {
    throw new TypeError(`${use} needs the package "${name}": install it`, { cause });
  }
}
