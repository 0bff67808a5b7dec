import { redactFields } from './redact-fields.ts';

/** Hides what must not be shown, in every text of a value. The stored text stays exact. */
export type Redact = <T>(value: T) => T;

export interface RedactionRules {
  /** Regular expressions; what they match becomes `[redacted]`. */
  readonly patterns?: readonly string[];
  /** Members of any object, by name, whose value is hidden. */
  readonly fields?: readonly string[];
}

const HIDDEN = '[redacted]';

export function createRedact({ patterns = [], fields = [] }: RedactionRules = {}): Redact {
  if (patterns.length === 0 && fields.length === 0) return (value) => value;
  const expressions = patterns.map((pattern) => new RegExp(pattern, 'gu'));
  const names = new Set(fields);
  const inText = (text: string): string => {
    const shown = expressions.reduce((now, expression) => now.replace(expression, HIDDEN), text);
    return redactFields(shown, fields, HIDDEN);
  };
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return inText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, names.has(name) ? HIDDEN : redact(inner)]),
    );
  };
  return redact as Redact;
}
