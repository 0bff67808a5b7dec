import { type Edit, elementsOf, membersOf, removals } from '../../json/index.ts';

/** Edits that take members out of the value at `start`. Names lead into objects, `*` into every element of an array. */
export function strip(text: string, start: number, paths: readonly (readonly string[])[]): Edit[] {
  if (paths.length === 0) return [];
  if (text[start] === '[') {
    const inner = below(paths, '*');
    return inner.length > 0 ? elementsOf(text, start).flatMap((element) => strip(text, element.start, inner)) : [];
  }
  if (text[start] !== '{') return [];
  const gone = new Set(paths.filter((path) => path.length === 1).map(([name]) => name));
  const members = membersOf(text, start);
  const kept = members.filter(({ name }) => !gone.has(name));
  return [
    ...removals(members, (index) => gone.has(members[index]!.name)),
    ...kept.flatMap((member) => strip(text, member.start, below(paths, member.name))),
  ];
}

function below(paths: readonly (readonly string[])[], step: string): string[][] {
  return paths.filter((path) => path.length > 1 && path[0] === step).map((path) => path.slice(1));
}
