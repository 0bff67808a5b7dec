import { nearest } from '@skein/core';
import type { KeyPath } from './document.ts';
import type { ProblemCode } from './problem.ts';

/** Reports what is wrong with the value of a key, and what to do. */
export type Report = (path: KeyPath, code: ProblemCode, message: string, fix: string) => void;

/** Checks a value of a file: returns it with its type, or reports and returns undefined. */
export type Shape<T> = (value: unknown, path: KeyPath, report: Report) => T | undefined;

type Fields<T> = { readonly [K in keyof T]-?: Shape<NonNullable<T[K]>> };

/** An object with these keys and no others. A wrong key is left out; the others are still used. */
export function object<T extends object>(fields: Fields<T>): Shape<Partial<T>> {
  const known = Object.keys(fields);
  return (value, path, report) => {
    if (!isRecord(value)) return wrongType(value, 'keys and values', path, report);
    const result: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) {
      const shape = Object.hasOwn(fields, key) ? fields[key as keyof T] : undefined;
      if (!shape) report([...path, key], 'unknown-key', `There is no key "${key}" here.`, suggestKnown(key, known));
      else if (inner !== null && inner !== undefined) {
        const read = shape(inner, [...path, key], report);
        if (read !== undefined) result[key] = read;
      }
    }
    return result as Partial<T>;
  };
}

/** An object whose names the user chooses, with values of the same shape. */
export function record<T>(shape: Shape<T>, name: RegExp = /./): Shape<Readonly<Record<string, T>>> {
  return (value, path, report) => {
    if (!isRecord(value)) return wrongType(value, 'names and what they stand for', path, report);
    const entries: [string, T][] = [];
    for (const [key, inner] of Object.entries(value)) {
      const at = [...path, key];
      if (!name.test(key)) {
        report(at, 'wrong-value', `"${key}" cannot be a name here.`, `Use a name that matches ${name.source}.`);
        continue;
      }
      const read = shape(inner, at, report);
      if (read !== undefined) entries.push([key, read]);
    }
    return Object.fromEntries(entries);
  };
}

export function list<T>(shape: Shape<T>): Shape<readonly T[]> {
  return (value, path, report) => {
    if (!Array.isArray(value)) return wrongType(value, 'a list', path, report);
    return value.flatMap((inner: unknown, index) => shape(inner, [...path, index], report) ?? []);
  };
}

export const text: Shape<string> = (value, path, report) =>
  typeof value === 'string' && value.trim() !== '' ? value : wrongType(value, 'a text', path, report);

export const flag: Shape<boolean> = (value, path, report) =>
  typeof value === 'boolean' ? value : wrongType(value, 'true or false', path, report);

/** A number in these bounds; `whole` for integers. */
export function number(min: number, max: number, kind: 'whole' | 'any' = 'any'): Shape<number> {
  const wanted = `${kind === 'whole' ? 'a whole number' : 'a number'} from ${min}${max === Infinity ? ' up' : ` to ${max}`}`;
  return (value, path, report) => {
    const fits = typeof value === 'number' && value >= min && value <= max;
    if (fits && (kind === 'any' || Number.isInteger(value))) return value;
    return wrongType(value, wanted, path, report);
  };
}

/** A text that matches a pattern. */
export function matching(pattern: RegExp, wanted: string): Shape<string> {
  return (value, path, report) =>
    typeof value === 'string' && pattern.test(value) ? value : wrongType(value, wanted, path, report);
}

export function oneOf<const T extends string>(...choices: readonly T[]): Shape<T> {
  return (value, path, report) =>
    choices.find((choice) => choice === value) ?? wrongType(value, `one of ${choices.join(', ')}`, path, report);
}

/** The name of an environment variable, not its value. */
export const variable = matching(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable');

export const webAddress: Shape<string> = (value, path, report) =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
    ? value
    : wrongType(value, 'an http(s) address', path, report);

export function wrongType(value: unknown, wanted: string, path: KeyPath, report: Report): undefined {
  // The value is not quoted: it may be a secret in the wrong place.
  report(path, 'wrong-type', `This is ${describeKind(value)}, and has to be ${wanted}.`, `Write ${wanted}.`);
}

/** Suggests a known name for an unknown one. */
export function suggestKnown(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `${near === undefined ? '' : `Did you mean "${near}"? `}Known: ${known.join(', ')}.`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function describeKind(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return value.trim() === '' ? 'an empty text' : 'a text';
  return typeof value === 'boolean'
    ? `the word ${value}`
    : typeof value === 'object'
      ? 'a set of keys'
      : `the number ${value}`;
}
