/** JavaScript lets any name through, and what is misspelt would be ignored in silence. `known` are names with spaces between. */
export function checkNames(what: string, given: object | undefined, known: string): void {
  for (const [name, value] of Object.entries(given ?? {}))
    if (value !== undefined && !known.split(' ').includes(name))
      throw new TypeError(`There is no ${what} "${name}"; there are: ${known}`);
}
