import { type Edit, isObject, type Path, parseJson } from '../../json/index.ts';
import { Changes } from './json-changes.ts';

/** Where the fields stand that a pattern of a descriptor names: `audio.data`, `tool_calls.*.index`. */
export function refusedPaths(value: unknown, pattern: string): Path[] {
  let places: { readonly path: Path; readonly value: unknown }[] = [{ path: [], value }];
  for (const step of pattern.split('.')) {
    places = places.flatMap(({ path, value: container }) => {
      if (step === '*' && Array.isArray(container))
        return container.map((item: unknown, index) => ({ path: [...path, index], value: item }));
      return isObject(container) && Object.hasOwn(container, step)
        ? [{ path: [...path, step], value: container[step] }]
        : [];
    });
  }
  return places.map(({ path }) => path);
}

/** Whether a text can hold such a field; cheap, so that most texts need not be parsed. */
export function mayHoldField(raw: string, pattern: string): boolean {
  return pattern.split('.').every((step) => step === '*' || raw.includes(`"${step}"`));
}

/** The edits that take the fields out of a text. */
export function refusedFieldEdits(raw: string, patterns: readonly string[]): Edit[] {
  const suspects = patterns.filter((pattern) => mayHoldField(raw, pattern));
  if (suspects.length === 0) return [];
  const value = parseJson(raw);
  const changes = new Changes();
  for (const path of suspects.flatMap((pattern) => refusedPaths(value, pattern))) changes.drop(path);
  return changes.edits(raw);
}
