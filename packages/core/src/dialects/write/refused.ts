import { isObject, type Path, parseJson } from '../../json/index.ts';

/** Where the fields of an own message stand that patterns like those of refused fields name. Most texts hold none. */
export function fieldsIn(raw: string, patterns: readonly string[]): readonly Path[] {
  const suspects = patterns.map((pattern) => pattern.split('.')).filter((steps) => mayHold(raw, steps));
  if (suspects.length === 0) return [];
  const value = parseJson(raw);
  // A turn of several items is looked at item by item.
  return suspects.flatMap((steps) => pathsTo(value, Array.isArray(value) ? ['*', ...steps] : steps));
}

/** Whether a text can hold such a field; looks at nothing but its names, the rarest first. */
function mayHold(raw: string, steps: readonly string[]): boolean {
  return !steps.findLast((step) => step !== '*' && !raw.includes(`"${step}"`));
}

function pathsTo(value: unknown, [step, ...more]: readonly string[], path: Path = []): Path[] {
  if (step === undefined) return [path];
  if (step === '*')
    return Array.isArray(value) ? value.flatMap((item, index) => pathsTo(item, more, [...path, index])) : [];
  return isObject(value) && Object.hasOwn(value, step) ? pathsTo(value[step], more, [...path, step]) : [];
}

/** `['content', 0, 'a']` as `content[0].a`. */
export function pathText(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}
