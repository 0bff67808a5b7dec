import { type Edit, elementsOf, memberOf, splice, withoutMembers } from '../../json/index.ts';

/** Whether a text can hold any of the fields; looks at nothing but their names. */
export function mayHold(raw: string, fields: readonly string[]): boolean {
  return fields.some((path) => raw.includes(`"${path.slice(path.lastIndexOf('.') + 1)}"`));
}

/** The text without the fields at the paths: dots go into objects, `*` into every element. */
export function withoutFields(text: string, paths: readonly string[]): string {
  return paths.reduce((left, path) => splice(left, editsFor(left, 0, path.split('.'))), text);
}

function editsFor(text: string, start: number, [step, ...rest]: readonly string[]): Edit[] {
  if (step === undefined) return [];
  if (step === '*')
    return text[start] === '[' ? elementsOf(text, start).flatMap((item) => editsFor(text, item.start, rest)) : [];
  if (text[start] !== '{') return [];
  if (rest.length === 0) return withoutMembers(text, start, (name) => name === step);
  const member = memberOf(text, start, step);
  return member ? editsFor(text, member.start, rest) : [];
}
