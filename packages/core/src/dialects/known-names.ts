import { nearest } from './nearest.ts';

/** JavaScript lets any name through, and what is misspelt would be ignored in silence. `known` are names with spaces between. */
export function checkNames(what: string, given: object | undefined, known: string): void {
  const names = known.split(' ');
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === undefined || names.includes(name)) continue;
    const meant = nearest(name, names);
    throw new TypeError(`There is no ${what} "${name}"${meant ? `; did you mean "${meant}"?` : ''}`);
  }
}
