import { Changes, type Edit, isObject, type Path, parseJson } from '../../json/index.ts';
import type { LossNote } from '../loss.ts';
import { dropped } from './notes.ts';

/** Marks the fields for removal that a provider refuses when its own messages come back. Most texts hold none. */
export function dropRefused(raw: string, patterns: readonly string[], changes: Changes, losses: LossNote[]): void {
  dropFields(raw, patterns, changes, (path) => losses.push(dropped(path, 'refused-field')));
}

/** Marks fields for removal, by patterns like those of refused fields, and tells the path of each. */
export function dropFields(
  raw: string,
  patterns: readonly string[],
  changes: Changes,
  note: (path: string) => void,
): void {
  const suspects = patterns.filter((pattern) => mayHold(raw, pattern));
  if (suspects.length === 0) return;
  const value = parseJson(raw);
  for (const pattern of suspects) {
    for (const path of pathsTo(value, pattern)) {
      changes.drop(path);
      note(pathText(path));
    }
  }
}

/** Whether a text can hold such a field; looks at nothing but its names. */
export function mayHold(raw: string, pattern: string): boolean {
  const holds = (step: string): boolean => step === '*' || raw.includes(`"${step}"`);
  // The last name is the rarest.
  return holds(pattern.slice(pattern.lastIndexOf('.') + 1)) && pattern.split('.').every(holds);
}

function pathsTo(root: unknown, pattern: string): Path[] {
  let places: { readonly path: Path; readonly value: unknown }[] = [{ path: [], value: root }];
  for (const step of pattern.split('.')) {
    places = places.flatMap(({ path, value }) => {
      if (step === '*')
        return Array.isArray(value)
          ? value.map((item: unknown, index) => ({ path: [...path, index], value: item }))
          : [];
      return isObject(value) && Object.hasOwn(value, step) ? [{ path: [...path, step], value: value[step] }] : [];
    });
  }
  return places.map(({ path }) => path);
}

/** The edits for refused fields alone. */
export function refusedEdits(raw: string, patterns: readonly string[], losses: LossNote[]): Edit[] {
  const changes = new Changes();
  dropRefused(raw, patterns, changes, losses);
  return changes.edits(raw);
}

/** `['content', 0, 'a']` as `content[0].a`. */
export function pathText(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}
